// SPDX-License-Identifier: Apache-2.0
//
// lig_image_lines: the last LINES rows of an image, read as 2 x 2 neighbourhoods at any place.
//
// What a bilinear kernel needs of an image that only passes by. Rows and columns are spread over four memories
// by their parity, so that the four neighbours of any place come out of four memories in one cycle, while a
// fifth access writes a pixel that comes in: one pixel in and one neighbourhood out per cycle.
//
// A request waits until the rows it needs are complete. The input waits where it would overwrite row keep_i or
// one below it: keep_i is the user's promise to ask for nothing above, and only grows. A request for a row that is gone
// already, or that could never come because keep_i holds its place, raises lost_o: then the image needs more
// rows at once than are here.
//
//   latency              request to answer: 1 cycle
//   initiation interval  1
//   storage              LINES rows of MAX_WIDTH pixels
//
// Places outside the image are 0 (BLACK) or the nearest pixel of the image.
module lig_image_lines
  import lig_image_pkg::*;
#(
    parameter int unsigned LINES     = 4,     // a power of two, 2..128
    parameter int unsigned MAX_WIDTH = 1920,  // even
    parameter bit          BLACK     = 0,
    parameter int unsigned USER      = 1      // bits that travel from a request to its answer
) (
    input logic clk_i,
    input logic clear_i,  // synchronous, high: the next image begins

    input logic [15:0] width_i,
    input logic [15:0] height_i,

    lig_image_pixels_if.receiver pixels,
    input  logic [15:0] keep_i,

    input  logic               ask_valid_i,
    output logic               ask_ready_o,
    input  logic signed [15:0] ask_x_i,
    input  logic signed [15:0] ask_y_i,
    input  logic [USER-1:0]    ask_user_i,

    output logic            valid_o,
    input  logic            ready_i,
    output pixel_t          upper_left_o,
    output pixel_t          upper_right_o,
    output pixel_t          lower_left_o,
    output pixel_t          lower_right_o,
    output logic [USER-1:0] user_o,

    output logic lost_o
);
  if (LINES < 2 || LINES > 128 || (LINES & (LINES - 1)) != 0) begin : g_rule_lines
    $fatal(1, "lig_image_lines: rule lines: LINES = %0d, a power of two from 2 to 128 is needed", LINES);
  end
  if (MAX_WIDTH < 2 || MAX_WIDTH > 32766 || MAX_WIDTH % 2 != 0) begin : g_rule_width
    $fatal(1, "lig_image_lines: rule width: MAX_WIDTH = %0d, an even number from 2 to 32766 is needed", MAX_WIDTH);
  end

  localparam int unsigned Half = MAX_WIDTH / 2;
  localparam int unsigned Depth = LINES / 2 * Half;
  localparam int unsigned Bits = $clog2(Depth);
  localparam int unsigned RowBits = LINES == 2 ? 1 : $clog2(LINES / 2);

  // In block RAM: UltraRAM is for whole images.
  (* ram_style = "block" *) pixel_t even_even[Depth];  // row, column
  (* ram_style = "block" *) pixel_t even_odd[Depth];
  (* ram_style = "block" *) pixel_t odd_even[Depth];
  (* ram_style = "block" *) pixel_t odd_odd[Depth];

  function automatic logic [Bits-1:0] row_place(input logic [14:0] row);
    logic [RowBits-1:0] slot;
    slot = LINES == 2 ? '0 : RowBits'(row >> 1);
    return Bits'(Bits'(slot) * Bits'(Half));
  endfunction

  // --- writing --------------------------------------------------------------------------------------------

  logic [14:0] column_q, row_q;  // where the next pixel goes
  logic write;

  assign pixels.ready = {1'b0, row_q} < height_i && {1'b0, row_q} < keep_i + 16'(LINES);
  assign write = pixels.valid && pixels.ready;

  logic [Bits-1:0] write_place;
  assign write_place = row_place(row_q) + Bits'(column_q >> 1);

  always_ff @(posedge clk_i) begin
    if (write) begin
      unique case ({row_q[0], column_q[0]})
        2'b00: even_even[write_place] <= pixels.pixel;
        2'b01: even_odd[write_place] <= pixels.pixel;
        2'b10: odd_even[write_place] <= pixels.pixel;
        2'b11: odd_odd[write_place] <= pixels.pixel;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (write) begin
      column_q <= column_q + 15'd1;
      if ({1'b0, column_q} == width_i - 16'd1) begin
        column_q <= '0;
        row_q <= row_q + 15'd1;
      end
    end
    if (clear_i) begin
      column_q <= '0;
      row_q <= '0;
    end
  end

  // --- asking ---------------------------------------------------------------------------------------------

  logic [15:0] x, y, next_x, next_y, last_x, last_y;
  logic left_in, right_in, upper_in, lower_in;
  logic move, waits, taken, valid_q;

  assign x = ask_x_i;
  assign y = ask_y_i;
  assign next_x = x + 16'd1;
  assign next_y = y + 16'd1;
  assign last_x = width_i - 16'd1;
  assign last_y = height_i - 16'd1;

  // Sides are at most 32767: without its sign, a negative place lies behind every side.
  assign left_in = !BLACK || x <= last_x;
  assign right_in = !BLACK || next_x <= last_x;
  assign upper_in = !BLACK || y <= last_y;
  assign lower_in = !BLACK || next_y <= last_y;

  // Within the image.
  function automatic logic [14:0] clamped(input logic [15:0] place, input logic [15:0] last);
    return place[15] ? '0 : place > last ? last[14:0] : place[14:0];
  endfunction

  logic [14:0] left, right, upper, lower;
  // What is black need not come from within.
  assign left = BLACK ? x[14:0] : clamped(x, last_x);
  assign right = BLACK ? next_x[14:0] : clamped(next_x, last_x);
  assign upper = clamped(y, last_y);
  assign lower = clamped(next_y, last_y);

  // A place that is wholly outside needs no row.
  logic needed, gone, never;
  logic [15:0] kept_from;
  assign needed = (upper_in || lower_in) && (left_in || right_in);
  assign waits = needed && row_q <= lower;
  // While a row comes in, it takes the place of the one LINES above it.
  assign kept_from = {1'b0, row_q} + 16'(column_q != '0);
  assign gone = needed && {1'b0, upper} + 16'(LINES) < kept_from;
  assign never = waits && {1'b0, lower} >= keep_i + 16'(LINES);
  assign lost_o = ask_valid_i && (gone || never);
  assign ask_ready_o = move && !waits;
  assign move = !valid_q || ready_i;
  assign taken = move && ask_valid_i && !waits;

  // Of the two columns, one is even and one odd (or they are the same one, at a border): likewise rows.
  logic [14:0] even_column, odd_column;
  logic [Bits-1:0] even_row, odd_row;  // where they begin
  assign even_row = row_place(upper[0] ? lower : upper);
  assign odd_row = row_place(upper[0] ? upper : lower);
  assign even_column = left[0] ? right : left;
  assign odd_column = left[0] ? left : right;

  pixel_t ee_q, eo_q, oe_q, oo_q;
  logic left_odd_q, right_odd_q, upper_odd_q, lower_odd_q;
  logic left_in_q, right_in_q, upper_in_q, lower_in_q;
  logic [USER-1:0] user_q;

  always_ff @(posedge clk_i) begin
    if (taken) begin
      ee_q <= even_even[even_row + Bits'(even_column >> 1)];
      eo_q <= even_odd[even_row + Bits'(odd_column >> 1)];
      oe_q <= odd_even[odd_row + Bits'(even_column >> 1)];
      oo_q <= odd_odd[odd_row + Bits'(odd_column >> 1)];
    end
  end

  always_ff @(posedge clk_i) begin
    if (move) begin
      valid_q <= ask_valid_i && !waits;
    end
    if (taken) begin
      left_odd_q <= left[0];
      right_odd_q <= right[0];
      upper_odd_q <= upper[0];
      lower_odd_q <= lower[0];
      left_in_q <= left_in;
      right_in_q <= right_in;
      upper_in_q <= upper_in;
      lower_in_q <= lower_in;
      user_q <= ask_user_i;
    end
    if (clear_i) valid_q <= 1'b0;
  end

  function automatic pixel_t masked(input logic inside_image, input pixel_t found);
    return inside_image ? found : '0;
  endfunction

  pixel_t upper_even, upper_odd, lower_even, lower_odd;
  assign upper_even = upper_odd_q ? oe_q : ee_q;
  assign upper_odd = upper_odd_q ? oo_q : eo_q;
  assign lower_even = lower_odd_q ? oe_q : ee_q;
  assign lower_odd = lower_odd_q ? oo_q : eo_q;
  assign upper_left_o = masked(upper_in_q && left_in_q, left_odd_q ? upper_odd : upper_even);
  assign upper_right_o = masked(upper_in_q && right_in_q, right_odd_q ? upper_odd : upper_even);
  assign lower_left_o = masked(lower_in_q && left_in_q, left_odd_q ? lower_odd : lower_even);
  assign lower_right_o = masked(lower_in_q && right_in_q, right_odd_q ? lower_odd : lower_even);
  assign valid_o = valid_q;
  assign user_o = user_q;
endmodule
