// SPDX-License-Identifier: Apache-2.0
//
// lig_drive_judge: whether a blob may be a disc, and which is the best of all (is_disc() and is_better() of kernels/light.hpp).
//
//   latency              2 cycles
//   initiation interval  2
module lig_drive_judge (
    input logic clk_i, rst_i,  // reset: synchronous, high
    input logic clear_i,       // no disc has been seen

    input logic        judge_i,  // what follows is constant in the next cycle, too
    input logic [15:0] left_i,
    input logic [15:0] right_i,  // behind the last column
    input logic [15:0] top_i,
    input logic [15:0] bottom_i,
    input logic [31:0] pixels_i,
    input logic [12:0] diameter_from_i,
    input logic [12:0] diameter_to_i,

    output logic        found_o,
    output logic [16:0] twice_x_o,    // twice the centre
    output logic [16:0] twice_y_o,
    output logic [16:0] four_radii_o  // width and height
);
  logic [15:0] width, height, longer, shorter;
  logic [31:0] box_q, pixels_q;
  logic [39:0] hundredths;
  logic fits_q, judges_q, is_disc, is_better;
  logic [16:0] twice_x, twice_y, four_radii;
  assign width = right_i - left_i;
  assign height = bottom_i - top_i + 16'd1;
  assign longer = width > height ? width : height;
  assign shorter = width > height ? height : width;
  assign twice_x = {left_i, 1'b0} + 17'(width) - 17'd1;
  assign twice_y = {top_i, 1'b0} + 17'(height) - 17'd1;
  assign four_radii = 17'(width) + 17'(height);

  // A disc fills pi / 4 of its box, a square all.
  assign hundredths = 40'(pixels_i) * 40'd100;
  assign is_disc = fits_q && hundredths >= 40'(box_q) * 40'd35 && hundredths <= 40'(box_q) * 40'd92;

  always_comb begin
    if (!found_o) is_better = 1'b1;
    else if (pixels_i != pixels_q) is_better = pixels_i > pixels_q;
    else if (twice_y != twice_y_o) is_better = twice_y < twice_y_o;
    else if (twice_x != twice_x_o) is_better = twice_x < twice_x_o;
    else is_better = four_radii < four_radii_o;
  end

  always_ff @(posedge clk_i) begin
    judges_q <= judge_i;
    box_q <= 32'(width) * 32'(height);
    fits_q <= shorter >= 16'(diameter_from_i) && longer <= 16'(diameter_to_i) &&
        {longer - shorter, 2'd0} <= 18'(longer) + 18'd4;
    if (judges_q && is_disc && is_better) begin
      found_o <= 1'b1;
      pixels_q <= pixels_i;
      twice_x_o <= twice_x;
      twice_y_o <= twice_y;
      four_radii_o <= four_radii;
    end
    if (rst_i || clear_i) found_o <= 1'b0;
    if (rst_i) judges_q <= 1'b0;
  end
endmodule
