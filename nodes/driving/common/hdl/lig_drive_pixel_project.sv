// SPDX-License-Identifier: Apache-2.0
//
// lig_drive_pixel_project: a stream of pixels into the ground as it is seen from above, bit by bit as GroundView::warp of
// kernels/ground_view.hpp.
//
// A row of the view comes from one row of the picture, in equal steps: its entry of the table of rows (lig_drive_ground) gives
// the row, the first column and the step. Rows only grow down the view, so four rows of the picture are enough. The entry
// of the next row is read while this one is walked along.
//
// With several PIXELS per cycle, all places of a beat are read at once as long as a step is less than 2 pixels of the picture
// (lig_image_banks).
//
//   latency              the rows above the uppermost place, two more, and 10 cycles
//   initiation interval  1: PIXELS pixels come and PIXELS leave in every cycle
//   storage              PIXELS sums of PLACE bits, and lig_image_mix of 4 rows
module lig_drive_pixel_project
  import lig_image_pkg::*;
#(
    parameter int unsigned MAX_WIDTH = 1920,  // of the picture, even
    parameter int unsigned PLACE     = 52,    // bits of a column and a step
    parameter int unsigned PIXELS    = 1      // per cycle: 1, 2, 4, 8
) (
    input logic clk_i, rst_i,  // reset: synchronous, high

    input logic start_i,  // the next picture begins
    input logic run_i,    // all of the below is valid

    input logic [15:0] width_i,  // of the picture
    input logic [15:0] height_i,
    input logic [15:0] columns_i,  // of the view, 16 or more
    input logic [15:0] rows_i,

    // The table of rows; the entry comes one cycle behind its number.
    output logic [15:0]             row_o,
    input  logic signed [21:0]      row_32_i,
    input  logic signed [PLACE-1:0] column_q16_i,
    input  logic signed [PLACE-1:0] step_q16_i,

    lig_image_pixels_if.receiver raw,
    lig_image_pixels_if.transmitter made
);
  logic clear;
  assign clear = rst_i || start_i;
  typedef logic signed [PLACE-1:0] place_t;

  // Whole pixels of a number with so many binary places; far outside of any picture where it is.
  localparam place_t Outside = 'd32000;
  function automatic logic [15:0] whole(input place_t place);
    return place > Outside ? 16'd32000 : place < -Outside ? -16'd32000 : place[15:0];
  endfunction

  // --- along the rows -------------------------------------------------------------------------------------

  typedef enum logic [1:0] {Wait, First, Walk, Over} state_e;
  state_e state_q;
  place_t [PIXELS-1:0] x_q;
  place_t stride_q;
  logic [15:0] y_q, line_q, column_q;
  logic [4:0] down_q;
  logic last_column, take, opens;

  assign row_o = state_q == Walk ? line_q + 16'd1 : '0;
  assign last_column = column_q == ((columns_i - 16'd1) & ~16'(PIXELS - 1));
  assign opens = state_q == First || (take && last_column);  // a row: its entry is there

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Wait: if (run_i) state_q <= First;
      First: state_q <= Walk;
      Walk: if (take && last_column && line_q == rows_i - 16'd1) state_q <= Over;
      default: ;
    endcase
    if (take) begin
      column_q <= last_column ? '0 : column_q + 16'(PIXELS);
      if (last_column) line_q <= line_q + 16'd1;
      for (int unsigned i = 0; i < PIXELS; i++) x_q[i] <= x_q[i] + stride_q;
    end
    if (opens) begin
      for (int unsigned i = 0; i < PIXELS; i++) x_q[i] <= column_q16_i + place_t'(i) * step_q16_i;
      stride_q <= step_q16_i <<< $clog2(PIXELS);
      y_q <= whole(place_t'(row_32_i) >>> 5);
      down_q <= row_32_i[4:0];
    end
    if (clear) begin
      state_q <= Wait;
      line_q <= '0;
      column_q <= '0;
    end
  end

  // --- the question ---------------------------------------------------------------------------------------

  logic ask_q, asked_q, ask_ready;  // asked: something was, and y is that of the last question
  logic [PIXELS-1:0] lanes_q;
  logic [PIXELS-1:0][15:0] ask_x_q;
  logic [15:0] ask_y_q, keep;
  logic [PIXELS-1:0][4:0] ask_right_q;
  logic [4:0] ask_down_q;

  assign take = state_q == Walk && (!ask_q || ask_ready);

  always_ff @(posedge clk_i) begin
    if (take) begin
      for (int unsigned i = 0; i < PIXELS; i++) begin
        ask_x_q[i] <= whole(x_q[i] >>> 16);
        ask_right_q[i] <= x_q[i][15:11];
        lanes_q[i] <= column_q + 16'(i) < columns_i;
      end
      ask_y_q <= y_q;
      ask_down_q <= down_q;
    end
    if (take) asked_q <= 1'b1;
    if (take || ask_ready) ask_q <= take;
    if (clear) begin
      ask_q <= 1'b0;
      asked_q <= 1'b0;
    end
  end

  // Behind the last question, all that is left may come.
  always_comb begin
    keep = asked_q && !ask_y_q[15] ? ask_y_q : '0;
    if (state_q == Over && !ask_q) keep = 16'h7FFF;
  end

  // --- the pixels -----------------------------------------------------------------------------------------

  logic lost;
  lig_image_mix #(.LINES(4), .MAX_WIDTH(MAX_WIDTH), .PIXELS(PIXELS)) mix (
      .clk_i, .clear_i(clear), .width_i, .height_i, .pixels(raw), .keep_i(keep), .ask_valid_i(ask_q), .ask_ready_o(ask_ready),
      .ask_lanes_i(lanes_q), .ask_x_i(ask_x_q), .ask_y_i({PIXELS{ask_y_q}}), .ask_right_i(ask_right_q),
      .ask_down_i({PIXELS{ask_down_q}}), .made, .lost_o(lost));

`ifdef LIG_RULES
  always_ff @(posedge clk_i) begin
    assert (rst_i || !lost) else $error("lig_drive_pixel_project: a row was dropped before it was used");
  end
`else
  logic unused_lost;
  assign unused_lost = lost;
`endif
endmodule
