// SPDX-License-Identifier: Apache-2.0
//
// lig_drive_class: a pixel's class (class_of() of kernels/stripes.hpp): white, yellow, or ground.
//
//   latency              ClassLatency (5) moves
//   initiation interval  1
module lig_drive_class
  import lig_drive_pkg::*;
  import lig_image_pkg::*;
(
    input logic clk_i,
    input logic move_i,

    input colour_range_t yellow_i,  // constant while there are pixels
    input colour_range_t white_i,
    input logic          bgr_i,     // blue is the first channel; else red is
    input pixel_t        pixel_i,

    output class_e class_o
);
  hsv_t hsv;
  logic yellow, white;
  lig_drive_hsv to_hsv (
      .clk_i, .move_i, .red_i(bgr_i ? pixel_i[23:16] : pixel_i[7:0]), .green_i(pixel_i[15:8]),
      .blue_i(bgr_i ? pixel_i[7:0] : pixel_i[23:16]), .hsv_o(hsv));
  lig_drive_within is_yellow (.clk_i, .move_i, .range_i(yellow_i), .hsv_i(hsv), .within_o(yellow));
  lig_drive_within is_white (.clk_i, .move_i, .range_i(white_i), .hsv_i(hsv), .within_o(white));
  assign class_o = white ? White : yellow ? Yellow : Ground;
endmodule
