// SPDX-License-Identifier: Apache-2.0
//
// lig_drive_judge: whether a blob may be a disc, and which is the best of all (is_disc() and is_better() of kernels/light.hpp).
//
//   latency              4 cycles
//   initiation interval  4
module lig_drive_judge (
    input logic clk_i, rst_i,  // reset: synchronous, high
    input logic clear_i,       // no disc has been seen

    input logic        judge_i,  // what follows is constant in the next three cycles, too
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
  // A cycle each: its sides, what follows from them, what that is compared with, and the judgement.
  logic [2:0] steps_q;
  logic [15:0] width_q, height_q, longer_q, shorter_q;
  logic [16:0] twice_x_q, twice_y_q, four_radii_q;
  logic [31:0] box_q, pixels_q;
  logic [39:0] least_q, most_q, hundredths_q;
  logic fits_q, better_q, is_better;

  always_comb begin
    if (!found_o) is_better = 1'b1;
    else if (pixels_i != pixels_q) is_better = pixels_i > pixels_q;
    else if (twice_y_q != twice_y_o) is_better = twice_y_q < twice_y_o;
    else if (twice_x_q != twice_x_o) is_better = twice_x_q < twice_x_o;
    else is_better = four_radii_q < four_radii_o;
  end

  always_ff @(posedge clk_i) begin
    steps_q <= {steps_q[1:0], judge_i};
    width_q <= right_i - left_i;
    height_q <= bottom_i - top_i + 16'd1;

    box_q <= 32'(width_q) * 32'(height_q);
    longer_q <= width_q > height_q ? width_q : height_q;
    shorter_q <= width_q > height_q ? height_q : width_q;
    twice_x_q <= {left_i, 1'b0} + 17'(width_q) - 17'd1;
    twice_y_q <= {top_i, 1'b0} + 17'(height_q) - 17'd1;
    four_radii_q <= 17'(width_q) + 17'(height_q);

    // A disc fills pi / 4 of its box, a square all.
    least_q <= 40'(box_q) * 40'd35;
    most_q <= 40'(box_q) * 40'd92;
    hundredths_q <= 40'(pixels_i) * 40'd100;
    fits_q <= shorter_q >= 16'(diameter_from_i) && longer_q <= 16'(diameter_to_i) &&
        {longer_q - shorter_q, 2'd0} <= 18'(longer_q) + 18'd4;
    better_q <= is_better;

    if (steps_q[2] && fits_q && better_q && hundredths_q >= least_q && hundredths_q <= most_q) begin
      found_o <= 1'b1;
      pixels_q <= pixels_i;
      twice_x_o <= twice_x_q;
      twice_y_o <= twice_y_q;
      four_radii_o <= four_radii_q;
    end
    if (rst_i || clear_i) found_o <= 1'b0;
    if (rst_i) steps_q <= '0;
  end
endmodule
