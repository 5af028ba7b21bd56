// SPDX-License-Identifier: Apache-2.0
//
// lig_image_convert: the channels of a pixel in another order or number, bit by bit as cv::cvtColor.
//
// Grey is 9798 red + 19235 green + 3735 blue in units of 2^-15, rounded. A channel that the source does not
// have is opaque; grey becomes all three colours. Combinational.
module lig_image_convert
  import lig_image_pkg::*;
(
    input  encoding_e from_i,
    input  encoding_e to_i,
    input  pixel_t    pixel_i,
    output pixel_t    pixel_o,
    output logic      known_o  // there is a way from the one to the other
);
  function automatic logic blue_first(input encoding_e encoding);
    return encoding inside {Bgr8, Bgra8};
  endfunction
  function automatic logic is_colour(input encoding_e encoding);
    return encoding inside {Rgb8, Bgr8, Rgba8, Bgra8};
  endfunction

  logic [7:0] red, green, blue, grey, first, third;
  logic [23:0] sum;
  logic swaps;

  assign swaps = blue_first(from_i);
  assign first = pixel_i[7:0];
  assign third = pixel_i[23:16];
  assign red = from_i == Mono8 ? first : swaps ? third : first;
  assign green = from_i == Mono8 ? first : pixel_i[15:8];
  assign blue = from_i == Mono8 ? first : swaps ? first : third;
  assign sum = 24'(red) * 24'd9798 + 24'(green) * 24'd19235 + 24'(blue) * 24'd3735 + 24'd16384;
  assign grey = from_i == Mono8 ? first : 8'(sum >> 15);
  assign known_o = from_i == to_i || ((is_colour(from_i) || from_i == Mono8) && (is_colour(to_i) || to_i == Mono8));

  always_comb begin
    pixel_o[7:0] = blue_first(to_i) ? blue : red;
    pixel_o[15:8] = green;
    pixel_o[23:16] = blue_first(to_i) ? red : blue;
    pixel_o[31:24] = from_i inside {Rgba8, Bgra8} ? pixel_i[31:24] : 8'hFF;
    if (to_i == Mono8) pixel_o = pixel_t'(grey);
    if (from_i == to_i) pixel_o = pixel_i;
  end
endmodule
