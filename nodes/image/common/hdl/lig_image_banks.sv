// SPDX-License-Identifier: Apache-2.0
//
// lig_image_banks: lig_image_lines for several pixels per cycle: PIXELS come in, PIXELS neighbourhoods are asked for.
//
// What PIXELS neighbouring pixels of a result need of the source lies close together, but begins anywhere. So the rows are
// spread over 4 x 2 PIXELS memories, by row modulo 4 and column modulo 2 PIXELS: a window of that size, wherever it lies,
// comes out of them in one cycle. Of the questions that come together, those from the first one on whose places lie in one
// window (rows from one above the first place on, columns from its own on) are answered in one cycle, the others in
// the next ones: a lens that bends a lot takes longer, and never gives anything else.
//
// Rows that a question waits for, keep_i and lost_o: as in lig_image_lines. What was taken is kept until it is read, whatever
// keep_i says meanwhile.
//
//   latency              request to answer: 3 cycles
//   initiation interval  1 where the places lie in one window
//   storage              LINES rows of MAX_WIDTH pixels, in 8 PIXELS memories
module lig_image_banks
  import lig_image_pkg::*;
#(
    parameter int unsigned LINES     = 4,     // a power of two, 4..128
    parameter int unsigned MAX_WIDTH = 1920,  // even
    parameter bit          BLACK     = 0,
    parameter int unsigned USER      = 1,     // bits that travel from a request to its answer
    parameter int unsigned PIXELS    = 2      // 2, 4, 8
) (
    input logic clk_i,
    input logic clear_i,  // synchronous, high: the next image begins

    input logic [15:0] width_i,
    input logic [15:0] height_i,

    lig_image_pixels_if.receiver pixels,
    input  logic [15:0] keep_i,

    input  logic                         ask_valid_i,
    output logic                         ask_ready_o,
    input  logic [PIXELS-1:0]            ask_lanes_i,  // those that ask for something; the others' answers are not defined
    input  logic [PIXELS-1:0][15:0]      ask_x_i,      // signed
    input  logic [PIXELS-1:0][15:0]      ask_y_i,
    input  logic [PIXELS-1:0][USER-1:0]  ask_user_i,

    output logic                         valid_o,
    input  logic                         ready_i,
    output pixel_t [PIXELS-1:0]          upper_left_o,
    output pixel_t [PIXELS-1:0]          upper_right_o,
    output pixel_t [PIXELS-1:0]          lower_left_o,
    output pixel_t [PIXELS-1:0]          lower_right_o,
    output logic [PIXELS-1:0][USER-1:0]  user_o,

    output logic lost_o
);
  if (LINES < 4 || LINES > 128 || (LINES & (LINES - 1)) != 0) begin : g_rule_lines
    $fatal(1, "lig_image_banks: rule lines: LINES = %0d, a power of two from 4 to 128 is needed", LINES);
  end
  if (MAX_WIDTH < 2 || MAX_WIDTH > 32766 || MAX_WIDTH % 2 != 0) begin : g_rule_width
    $fatal(1, "lig_image_banks: rule width: MAX_WIDTH = %0d, an even number from 2 to 32766 is needed", MAX_WIDTH);
  end
  if (PIXELS != 2 && PIXELS != 4 && PIXELS != 8) begin : g_rule_pixels
    $fatal(1, "lig_image_banks: rule pixels: PIXELS = %0d, one of 2, 4, 8 is needed", PIXELS);
  end

  localparam int unsigned Columns = 2 * PIXELS;  // memories beside each other
  localparam int unsigned ColumnBits = $clog2(Columns);
  localparam int unsigned Words = (MAX_WIDTH + Columns - 1) / Columns;  // of a row, in one of them
  localparam int unsigned Depth = LINES / 4 * Words;
  localparam int unsigned Bits = $clog2(Depth);

  // Where in its memory a pixel lies.
  function automatic logic [Bits-1:0] place_of(input logic [14:0] row, input logic [14:0] column);
    logic [14:0] slot;
    slot = (row >> 2) & 15'(LINES / 4 - 1);
    return Bits'(slot) * Bits'(Words) + Bits'(column >> ColumnBits);
  endfunction

  // --- writing --------------------------------------------------------------------------------------------

  logic [14:0] column_q, row_q;  // where the next pixels go
  logic [15:0] keep;
  logic write;

  assign pixels.ready = {1'b0, row_q} < height_i && {1'b0, row_q} < keep + 16'(LINES);
  assign write = pixels.valid && pixels.ready;

  always_ff @(posedge clk_i) begin
    if (write) begin
      column_q <= column_q + 15'(PIXELS);
      if ({1'b0, column_q} + 16'(PIXELS) >= width_i) begin
        column_q <= '0;
        row_q <= row_q + 15'd1;
      end
    end
    if (clear_i) begin
      column_q <= '0;
      row_q <= '0;
    end
  end

  // --- what is asked for ----------------------------------------------------------------------------------

  logic [15:0] last_x, last_y;
  assign last_x = width_i - 16'd1;
  assign last_y = height_i - 16'd1;

  typedef struct packed {
    logic        needed;   // some of it is inside
    logic        left_in, right_in, upper_in, lower_in;
    logic [14:0] left, right, upper, lower;
    logic [14:0] first, last;  // columns that are inside
  } place_t;

  // Within the image; sides are at most 32767: without its sign, a negative place lies behind every side.
  function automatic logic [14:0] clamped(input logic [15:0] at, input logic [15:0] last);
    return at[15] ? '0 : at > last ? last[14:0] : at[14:0];
  endfunction

  function automatic place_t place_at(input logic [15:0] x, input logic [15:0] y, input logic [15:0] end_x,
                                      input logic [15:0] end_y, input logic asks);
    place_t place;
    logic [15:0] next_x, next_y;
    next_x = x + 16'd1;
    next_y = y + 16'd1;
    place.left_in = !BLACK || x <= end_x;
    place.right_in = !BLACK || next_x <= end_x;
    place.upper_in = !BLACK || y <= end_y;
    place.lower_in = !BLACK || next_y <= end_y;
    place.needed = asks && (place.left_in || place.right_in) && (place.upper_in || place.lower_in);
    place.left = clamped(x, end_x);
    place.right = clamped(next_x, end_x);
    place.upper = clamped(y, end_y);
    place.lower = clamped(next_y, end_y);
    // A pixel outside is black, and its memory may be another's.
    place.first = place.left_in ? place.left : place.right;
    place.last = place.right_in ? place.right : place.left;
    return place;
  endfunction

  // Taken, and not yet answered from lane from_q on.
  place_t [PIXELS-1:0] place_q;
  logic [PIXELS-1:0][USER-1:0] user_q;
  logic [PIXELS-1:0] open_q, served, first_lane;
  logic [15:0] keep_q;
  logic taken_q, take, all_served;

  assign take = ask_valid_i && ask_ready_o;
  assign ask_ready_o = !taken_q || all_served;
  assign keep = taken_q ? keep_q : keep_i;

  always_ff @(posedge clk_i) begin
    if (take) begin
      for (int unsigned i = 0; i < PIXELS; i++) begin
        place_q[i] <= place_at(ask_x_i[i], ask_y_i[i], last_x, last_y, ask_lanes_i[i]);
      end
      user_q <= ask_user_i;
      keep_q <= keep_i;
    end
    if (take) open_q <= '1;
    else open_q <= open_q & ~served;
    if (ask_ready_o) taken_q <= ask_valid_i;
    if (clear_i) taken_q <= 1'b0;
  end

  // --- which of it in this cycle --------------------------------------------------------------------------

  // The first one that needs something gives the window: rows from one above its own on, columns from its own on.
  logic [14:0] window_row, window_column;
  logic reads, move, blocked, lost;

  always_comb begin
    first_lane = '0;
    window_row = '0;
    window_column = '0;
    for (int unsigned i = PIXELS; i > 0; i--) begin
      if (open_q[i-1] && place_q[i-1].needed) first_lane = PIXELS'(1) << (i - 1);
    end
    for (int unsigned i = 0; i < PIXELS; i++) begin
      window_row = window_row | (first_lane[i] ? place_q[i].upper : '0);
      window_column = window_column | (first_lane[i] ? place_q[i].first : '0);
    end
    window_row = window_row - 15'd1;
  end

  function automatic logic fits(input place_t place, input logic [14:0] row, input logic [14:0] column);
    logic [14:0] up, down, left, right;
    up = place.upper - row;
    down = place.lower - row;
    left = place.first - column;
    right = place.last - column;
    return up < 15'd4 && down < 15'd4 && left < 15'(Columns) && right < 15'(Columns);
  endfunction

  // While a row comes in, it takes the place of the one LINES above it.
  logic [15:0] kept_from;
  assign kept_from = {1'b0, row_q} + 16'(column_q != '0);

  always_comb begin
    blocked = !taken_q || !move;
    served = '0;
    lost = 1'b0;
    for (int unsigned i = 0; i < PIXELS; i++) begin
      if (open_q[i] && place_q[i].needed) begin
        if (row_q <= place_q[i].lower || !fits(place_q[i], window_row, window_column)) blocked = 1'b1;
        if ({1'b0, place_q[i].upper} + 16'(LINES) < kept_from) lost = 1'b1;
        if (row_q <= place_q[i].lower && {1'b0, place_q[i].lower} >= keep + 16'(LINES)) lost = 1'b1;
      end
      served[i] = open_q[i] && !blocked;
    end
  end

  assign all_served = (open_q & ~served) == '0;
  assign reads = served != '0;
  assign lost_o = taken_q && lost;

  // --- the memories ---------------------------------------------------------------------------------------

  pixel_t [3:0][Columns-1:0] found;
  for (genvar r = 0; r < 4; r++) begin : g_row
    logic [14:0] row;  // of the window, that lies here
    logic [1:0] down;
    assign down = 2'(r) - window_row[1:0];
    assign row = window_row + 15'(down);
    for (genvar c = 0; c < Columns; c++) begin : g_column
      pixel_t bank[Depth];
      logic [14:0] column;
      logic [ColumnBits-1:0] right;
      logic here;
      assign right = ColumnBits'(c) - window_column[ColumnBits-1:0];
      assign column = window_column + 15'(right);
      assign here = write && row_q[1:0] == 2'(r) && column_q[ColumnBits-1] == (c >= PIXELS);
      always_ff @(posedge clk_i) begin
        if (here) bank[place_of(row_q, column_q)] <= pixels.pixel[32*(c % PIXELS)+:32];
        if (reads) found[r][c] <= bank[place_of(row, column)];
      end
    end
  end

  // --- answers --------------------------------------------------------------------------------------------

  typedef struct packed {
    logic left_in, right_in, upper_in, lower_in;
    logic [1:0] upper, lower;
    logic [ColumnBits-1:0] left, right;
  } where_t;
  where_t [PIXELS-1:0] where_q;
  logic [PIXELS-1:0][USER-1:0] read_user_q;
  logic [PIXELS-1:0] read_q;
  logic read_valid_q, read_last_q, valid_q, room;

  assign room = !valid_q || ready_i;
  assign move = !read_valid_q || room;

  always_ff @(posedge clk_i) begin
    if (move) begin
      read_valid_q <= reads;
      read_last_q <= all_served;
      read_q <= served;
      read_user_q <= user_q;
      for (int unsigned i = 0; i < PIXELS; i++) begin
        where_q[i] <= '{
            left_in: place_q[i].left_in, right_in: place_q[i].right_in, upper_in: place_q[i].upper_in,
            lower_in: place_q[i].lower_in, upper: place_q[i].upper[1:0], lower: place_q[i].lower[1:0],
            left: place_q[i].left[ColumnBits-1:0], right: place_q[i].right[ColumnBits-1:0]};
      end
    end
    if (room) valid_q <= read_valid_q && read_last_q;
    if (clear_i) begin
      read_valid_q <= 1'b0;
      valid_q <= 1'b0;
    end
  end

  for (genvar i = 0; i < PIXELS; i++) begin : g_answer
    always_ff @(posedge clk_i) begin
      if (room && read_valid_q && read_q[i]) begin
        upper_left_o[i] <= where_q[i].upper_in && where_q[i].left_in ? found[where_q[i].upper][where_q[i].left] : '0;
        upper_right_o[i] <= where_q[i].upper_in && where_q[i].right_in ? found[where_q[i].upper][where_q[i].right] : '0;
        lower_left_o[i] <= where_q[i].lower_in && where_q[i].left_in ? found[where_q[i].lower][where_q[i].left] : '0;
        lower_right_o[i] <= where_q[i].lower_in && where_q[i].right_in ? found[where_q[i].lower][where_q[i].right] : '0;
        user_o[i] <= read_user_q[i];
      end
    end
  end
  assign valid_o = valid_q;
endmodule
