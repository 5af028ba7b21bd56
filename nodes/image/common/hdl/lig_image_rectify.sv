// SPDX-License-Identifier: Apache-2.0
//
// lig_image_rectify: a stream of pixels into the stream of the rectified image, bit by bit as cv::remap with INTER_LINEAR.
//
// lig_image_bend says for each pixel where it comes from; lig_image_mix holds the rows it may come from, and mixes its
// neighbours. What lies outside the raw image is black. A lens without distortion passes the image on.
//
// How far a lens may bend: the rows that one row of the result comes from, and the row before it, must lie within
// LINES - 2 rows of each other. Whether they do shows while the image passes: lost_o, and the image is given up.
// The calibration photographs of OpenCV (640 x 480, k1 = -0.27) need 31 rows.
//
// With several PIXELS per cycle each lane has its own lig_image_bend and multipliers, and the rows wait in
// lig_image_banks: where a lens takes neighbours far apart, they come one after the other.
//
//   latency              the rows that the first row of the result comes from, one more, and 20 cycles
//   initiation interval  1: PIXELS pixels come and PIXELS leave in every cycle
//   storage              LINES rows of MAX_WIDTH pixels; PIXELS times lig_image_bend, and 12 multipliers of 25 x 5 and
//                        14 x 5 bits
module lig_image_rectify
  import lig_image_pkg::*;
#(
    parameter int unsigned LINES     = 64,   // a power of two
    parameter int unsigned MAX_WIDTH = 1280,  // even
    parameter int unsigned PIXELS    = 1      // per cycle: 1, 2, 4, 8
) (
    input logic clk_i, rst_i,  // reset: synchronous, high

    input logic        start_i,   // the next image begins
    input logic        run_i,     // its size and lens are valid
    input logic [15:0] width_i,
    input logic [15:0] height_i,
    input lens_t       lens_i,

    lig_image_pixels_if.receiver raw,
    lig_image_pixels_if.transmitter made,

    output logic lost_o  // until the next start: the lens bends too far
);
  logic clear;
  assign clear = rst_i || start_i;

  // --- where each pixel comes from ------------------------------------------------------------------------

  logic bent_valid, ask_ready, last_column, over;
  logic [PIXELS-1:0] bent_valids, last_columns, overs, lanes;
  logic [PIXELS-1:0][15:0] x, y;
  logic [PIXELS-1:0][4:0] right, down;

  for (genvar i = 0; i < PIXELS; i++) begin : g_bend
    lig_image_bend #(.FIRST(i), .STEP(PIXELS)) bend (
        .clk_i, .clear_i(clear), .run_i(run_i && lens_i.bent), .width_i, .height_i, .lens_i,
        .valid_o(bent_valids[i]), .ready_i(ask_ready), .x_o(x[i]), .y_o(y[i]), .right_o(right[i]), .down_o(down[i]),
        .last_column_o(last_columns[i]), .over_o(overs[i]));
  end
  assign bent_valid = bent_valids[0];
  assign last_column = last_columns[0];

  // Of a row's last pixels there may be fewer.
  always_comb begin
    for (int unsigned i = 0; i < PIXELS; i++) begin
      lanes[i] = !last_column || 16'(i) <= ((width_i - 16'd1) & 16'(PIXELS - 1));
    end
  end
  assign over = |(overs & lanes);

  // --- the rows -------------------------------------------------------------------------------------------

  // Rows only grow down the image: nothing above the uppermost place of the row before is needed again.
  logic [15:0] keep_q, highest_q, high, asked_q;
  logic lost, lost_q;

  // A place whose neighbours are all outside needs no row.
  function automatic logic seen(input logic signed [15:0] at_x, input logic signed [15:0] at_y);
    return at_x >= -16'sd1 && at_x < $signed(width_i) && at_y >= -16'sd1 && at_y < $signed(height_i);
  endfunction

  always_comb begin
    high = highest_q;
    for (int unsigned i = 0; i < PIXELS; i++) begin
      if (lanes[i] && seen(x[i], y[i]) && $signed(y[i]) < $signed(high)) high = y[i][15] ? '0 : y[i];
    end
  end

  always_ff @(posedge clk_i) begin
    if (bent_valid && ask_ready) begin
      highest_q <= high;
      if (last_column) begin
        asked_q <= asked_q + 16'd1;
        highest_q <= 16'h7FFF;
        if (high != 16'h7FFF && high > keep_q) keep_q <= high;
        // Behind the last row, all that is left may come.
        if (asked_q == height_i - 16'd1) keep_q <= 16'h7FFF;
      end
    end
    if ((bent_valid && over) || lost) lost_q <= 1'b1;
    if (clear) begin
      keep_q <= '0;
      highest_q <= 16'h7FFF;
      asked_q <= '0;
      lost_q <= 1'b0;
    end
  end

  lig_image_pixels_if #(.PIXELS(PIXELS)) bending (), mixed ();
  assign bending.valid = raw.valid && lens_i.bent;
  assign bending.pixel = raw.pixel;
  assign mixed.ready = made.ready;
  lig_image_mix #(.LINES(LINES), .MAX_WIDTH(MAX_WIDTH), .PIXELS(PIXELS)) mix (
      .clk_i, .clear_i(clear), .width_i, .height_i, .pixels(bending), .keep_i(keep_q), .ask_valid_i(bent_valid),
      .ask_ready_o(ask_ready), .ask_lanes_i(lanes), .ask_x_i(x), .ask_y_i(y), .ask_right_i(right), .ask_down_i(down),
      .made(mixed), .lost_o(lost));

  assign made.valid = lens_i.bent ? mixed.valid : raw.valid && run_i;
  assign made.pixel = lens_i.bent ? mixed.pixel : raw.pixel;
  assign raw.ready = run_i && (lens_i.bent ? bending.ready : made.ready);
  assign lost_o = lost_q;
endmodule
