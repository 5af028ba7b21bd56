// SPDX-License-Identifier: Apache-2.0
//
// lig_image_spread: pixels of 1, 3 or 4 bytes, packed, into a pixel_t each. Combinational.
//
// Bytes above a pixel's channels are not defined.
module lig_image_spread
  import lig_image_pkg::*;
#(
    parameter int unsigned PIXELS = 1
) (
    input  logic [2:0]           channels_i,
    input  logic [32*PIXELS-1:0] packed_i,
    output logic [32*PIXELS-1:0] pixels_o
);
  assign pixels_o[31:0] = packed_i[31:0];
  for (genvar i = 1; i < PIXELS; i++) begin : g_pixel
    pixel_t grey, colour;
    assign grey = pixel_t'(packed_i[8*i+:8]);
    assign colour = pixel_t'(packed_i[24*i+:24]);
    assign pixels_o[32*i+:32] = channels_i[2] ? packed_i[32*i+:32] : channels_i[1] ? colour : grey;
  end
endmodule
