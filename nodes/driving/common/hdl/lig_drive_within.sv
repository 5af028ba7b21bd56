// SPDX-License-Identifier: Apache-2.0
//
// lig_drive_within: whether a colour lies in a range of hue, saturation and value (is_within() of kernels/colour.hpp).
//
// Each end of the range is multiplied with what would divide the pixel's side. Moves with lig_drive_hsv, behind it.
//
//   latency              WithinLatency (2) moves
//   initiation interval  1
//   storage              four multipliers of 9 x 8 bits
module lig_drive_within
  import lig_drive_pkg::*;
(
    input logic clk_i,
    input logic move_i,

    input colour_range_t range_i,  // constant while there are pixels
    input hsv_t          hsv_i,

    output logic within_o
);
  logic [16:0] hue_from_q, hue_to_q, hue_q;
  logic [15:0] saturation_from_q, saturation_to_q, saturation_q;
  logic value_fits_q, grey_q;
  logic through_red, red_fits, from, to, hue_fits, within_q;

  assign through_red = range_i.hue_from > range_i.hue_to;
  assign red_fits = range_i.hue_from == '0 || through_red;
  assign from = hue_q >= hue_from_q;
  assign to = hue_q <= hue_to_q;

  always_comb begin
    if (grey_q) hue_fits = red_fits;
    else if (through_red) hue_fits = from || to;
    else hue_fits = from && to;
  end

  always_ff @(posedge clk_i) begin
    if (move_i) begin
      hue_q <= hsv_i.hue;
      hue_from_q <= 17'(range_i.hue_from) * 17'(hsv_i.chroma);
      hue_to_q <= 17'(range_i.hue_to) * 17'(hsv_i.chroma);
      // Black has no saturation: it counts as 0.
      saturation_from_q <= 16'(range_i.saturation_from) * 16'(hsv_i.value == '0 ? 8'd1 : hsv_i.value);
      saturation_to_q <= 16'(range_i.saturation_to) * 16'(hsv_i.value);
      saturation_q <= {hsv_i.chroma, 8'd0} - 16'(hsv_i.chroma);  // times 255
      value_fits_q <= hsv_i.value >= range_i.value_from && hsv_i.value <= range_i.value_to;
      grey_q <= hsv_i.chroma == '0;
      within_q <= value_fits_q && saturation_q >= saturation_from_q && saturation_q <= saturation_to_q && hue_fits;
    end
  end

  assign within_o = within_q;
endmodule
