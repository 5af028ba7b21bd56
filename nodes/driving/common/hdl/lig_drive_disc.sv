// SPDX-License-Identifier: Apache-2.0
//
// lig_drive_disc: the lit disc in the upper part of a picture (find_disc() of kernels/light.hpp).
//
// Each pixel becomes a bit, whether it has the light's colour; the bits become runs, and the runs blobs. Rows below those
// that are searched are the user's to drop.
//
//   initiation interval  PIXELS pixels; a run of the colour holds them up for about 25 cycles
//   latency              6 cycles, and the end of the last row: 5 cycles per run
module lig_drive_disc
  import lig_image_pkg::*;
  import lig_drive_pkg::*;
#(
    parameter int unsigned PIXELS = 1,  // per cycle
    parameter int unsigned MAX_WIDTH = 2048
) (
    input logic clk_i, rst_i,  // reset: synchronous, high

    input logic        start_i,  // of a picture; what follows is constant from then on
    input logic [15:0] width_i,
    input logic [15:0] height_i,
    input logic        is_bgr_i,

    input colour_range_t colour_i,
    input logic [9:0]    rows_permille_i,
    input logic [12:0]   diameter_from_i,
    input logic [12:0]   diameter_to_i,

    lig_image_pixels_if.receiver pixels,

    output logic        busy_o,        // it goes on by itself
    output logic        searched_o,    // all rows have been taken that are searched
    output logic        done_o,        // and what is found stays until the next start
    output logic        found_o,
    output logic [16:0] twice_x_o,
    output logic [16:0] twice_y_o,
    output logic [16:0] four_radii_o
);
  // --- rows to search: as often as 1000 goes into height * permille, and at least one ---------------------

  logic [25:0] thousandths_q;
  logic [15:0] rows_q, line_q, column_q;
  logic counting_q, begins_q, searching_q, idle;
  assign searched_o = !(counting_q || begins_q || searching_q);
  assign done_o = searched_o && idle;

  always_ff @(posedge clk_i) begin
    begins_q <= counting_q && thousandths_q < 26'd1000;
    if (start_i) begin
      thousandths_q <= 26'(height_i) * 26'(rows_permille_i);
      rows_q <= '0;
      counting_q <= 1'b1;
    end else if (counting_q) begin
      if (thousandths_q < 26'd1000) begin
        counting_q <= 1'b0;
        if (rows_q == '0) rows_q <= 16'd1;
      end else begin
        thousandths_q <= thousandths_q - 26'd1000;
        rows_q <= rows_q + 1'b1;
      end
    end
    if (rst_i) {counting_q, begins_q, rows_q} <= '0;
  end

  // --- pixels, and whether they are of the colour ---------------------------------------------------------

  localparam int unsigned Steps = HsvLatency + WithinLatency;
  logic [Steps-1:0] flows_q;
  logic move, comes, mask_ready;
  logic [PIXELS-1:0][1:0] mask;
  assign move = !flows_q[Steps-1] || mask_ready;
  assign pixels.ready = move && searching_q;
  assign comes = pixels.valid && pixels.ready;

  for (genvar i = 0; i < PIXELS; i++) begin : g_pixel
    hsv_t hsv;
    logic [7:0] first, last;
    assign first = pixels.pixel[32*i+:8];
    assign last = pixels.pixel[32*i+16+:8];
    lig_drive_hsv to_hsv (
        .clk_i, .move_i(move), .red_i(is_bgr_i ? last : first), .green_i(pixels.pixel[32*i+8+:8]),
        .blue_i(is_bgr_i ? first : last), .hsv_o(hsv));
    lig_drive_within is_within (.clk_i, .move_i(move), .range_i(colour_i), .hsv_i(hsv), .within_o(mask[i][0]));
    assign mask[i][1] = 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (move) flows_q <= {flows_q[Steps-2:0], comes};
    if (comes) begin
      column_q <= column_q + 16'(PIXELS);
      if (17'(column_q) + 17'(PIXELS) >= 17'(width_i)) begin
        column_q <= '0;
        line_q <= line_q + 1'b1;
        if (line_q + 1'b1 == rows_q) searching_q <= 1'b0;
      end
    end
    if (begins_q) searching_q <= 1'b1;
    if (rst_i || start_i) {flows_q, column_q, line_q, searching_q} <= '0;
  end

  // --- runs and blobs -------------------------------------------------------------------------------------

  logic run_valid, run_ready, blobs_ready, run_last, skips;
  logic [1:0] run_class;
  logic [15:0] run_begin, run_end;
  assign skips = !run_class[0] && !run_last;  // it only lies between two others
  // The run that blobs are made of.
  logic held_q, marked_q, last_q;
  logic [15:0] begin_q, end_q;
  logic blobs_busy;
  assign busy_o = counting_q || begins_q || held_q || blobs_busy;
  assign run_ready = skips || !held_q;
  always_ff @(posedge clk_i) begin
    if (!held_q) begin
      held_q <= run_valid && !skips;
      {marked_q, last_q, begin_q, end_q} <= {run_class[0], run_last, run_begin, run_end};
    end else if (blobs_ready) begin
      held_q <= 1'b0;
    end
    if (rst_i || start_i) held_q <= 1'b0;
  end
  lig_drive_runs #(.PIXELS(PIXELS)) make_runs (
      .clk_i, .rst_i, .start_i, .width_i, .valid_i(flows_q[Steps-1]), .ready_o(mask_ready), .classes_i(mask),
      .run_valid_o(run_valid), .run_ready_i(run_ready), .class_o(run_class), .begin_o(run_begin),
      .end_o(run_end), .last_o(run_last));
  // A picture that broke off has left it waiting.
  lig_drive_blobs #(.MAX_WIDTH(MAX_WIDTH)) find_blobs (
      .clk_i, .rst_i(rst_i || start_i), .start_i(begins_q), .rows_i(rows_q), .diameter_from_i, .diameter_to_i, .valid_i(held_q),
      .ready_o(blobs_ready), .marked_i(marked_q), .last_i(last_q), .begin_i(begin_q), .end_i(end_q),
      .busy_o(blobs_busy), .idle_o(idle),
      .found_o, .twice_x_o, .twice_y_o, .four_radii_o);
endmodule
