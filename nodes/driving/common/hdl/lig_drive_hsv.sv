// SPDX-License-Identifier: Apache-2.0
//
// lig_drive_hsv: hue, saturation and value of a pixel per cycle, without a division (kernels/colour.hpp).
//
// hsv_t has what would be divided, and what would divide it. Whoever asks whether a colour lies in a range multiplies
// the range's ends (lig_drive_within), so nothing is rounded.
//
// A pipeline of HsvLatency steps that move with move_i: the result of a pixel is there after as many moves. What belongs
// to the pixel, such as whether there is one, waits in the user's own registers.
//
//   latency              HsvLatency (3) moves
//   initiation interval  1
module lig_drive_hsv
  import lig_drive_pkg::*;
(
    input logic clk_i,
    input logic move_i,

    input logic [7:0] red_i,
    input logic [7:0] green_i,
    input logic [7:0] blue_i,

    output hsv_t hsv_o
);
  // --- which channel is not less than which -----------------------------------------------------------------

  logic [7:0] red_q, green_q, blue_q;
  logic red_green_q, red_blue_q, green_blue_q;  // the first one is not less than the second
  always_ff @(posedge clk_i) begin
    if (move_i) begin
      {red_q, green_q, blue_q} <= {red_i, green_i, blue_i};
      red_green_q <= red_i >= green_i;
      red_blue_q <= red_i >= blue_i;
      green_blue_q <= green_i >= blue_i;
    end
  end

  // --- the largest and the smallest channel; of equal largest ones red, then green --------------------------

  logic red_is, green_is;
  logic [7:0] largest, smallest, value_q, chroma_q;
  logic [1:0] turns_q;               // pairs of sixths of the circle before the hue
  logic signed [8:0] apart, apart_q;  // of the other two channels

  assign red_is = red_green_q && red_blue_q;
  assign green_is = !red_is && green_blue_q;
  assign largest = red_is ? red_q : green_blue_q ? green_q : blue_q;
  assign smallest = !red_green_q && !red_blue_q ? red_q : green_blue_q ? blue_q : green_q;

  always_comb begin
    if (red_is) apart = $signed({1'b0, green_q}) - $signed({1'b0, blue_q});
    else if (green_is) apart = $signed({1'b0, blue_q}) - $signed({1'b0, red_q});
    else apart = $signed({1'b0, red_q}) - $signed({1'b0, green_q});
  end

  // --- the hue in sixths of the circle, times chroma --------------------------------------------------------

  logic [11:0] sixths;
  logic [7:0] value_q2, chroma_q2;
  logic [16:0] hue_q;

  // Never negative: below 0 it is a red that lies before the circle's end, and three turns are added.
  assign sixths = 12'(apart_q) + {1'b0, 11'(turns_q) * 11'(chroma_q) << 1};

  always_ff @(posedge clk_i) begin
    if (move_i) begin
      value_q <= largest;
      chroma_q <= largest - smallest;
      apart_q <= apart;
      turns_q <= red_is ? (green_blue_q ? 2'd0 : 2'd3) : green_is ? 2'd1 : 2'd2;
      value_q2 <= value_q;
      chroma_q2 <= chroma_q;
      hue_q <= ({5'd0, sixths} << 6) - ({5'd0, sixths} << 2);  // times 60
    end
  end

  assign hsv_o = '{value: value_q2, chroma: chroma_q2, hue: hue_q};
endmodule
