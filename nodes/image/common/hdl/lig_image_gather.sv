// SPDX-License-Identifier: Apache-2.0
//
// lig_image_gather: a pixel_t each into pixels of 1, 3 or 4 bytes, packed: what lig_image_spread does, backwards.
// Combinational; bytes behind the last pixel are not defined.
module lig_image_gather #(
    parameter int unsigned PIXELS = 1
) (
    input  logic [2:0]           channels_i,
    input  logic [32*PIXELS-1:0] pixels_i,
    output logic [32*PIXELS-1:0] packed_o
);
  if (PIXELS == 1) begin : g_one
    logic unused_channels;
    assign unused_channels = ^channels_i;
    assign packed_o = pixels_i;
  end else begin : g_several
    always_comb begin
      packed_o = pixels_i;
      for (int unsigned i = 0; i < PIXELS; i++) begin
        if (channels_i[1]) packed_o[24*i+:24] = pixels_i[32*i+:24];
        if (channels_i[0] && !channels_i[1]) packed_o[8*i+:8] = pixels_i[32*i+:8];
      end
    end
  end
endmodule
