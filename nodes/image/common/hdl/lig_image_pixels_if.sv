// SPDX-License-Identifier: Apache-2.0
//
// lig_image_pixels_if: a stream of pixels, row by row, as one bundle of signals.
//
// PIXELS of them at once, the leftmost lowest. A beat has pixels of one row only: where a row's length is no multiple of
// PIXELS, its last beat has fewer, and what is above them is not defined. Both sides know the row's length.
interface lig_image_pixels_if #(
    parameter int unsigned PIXELS = 1  // 1, 2, 4, 8
);
  logic valid, ready;
  logic [32*PIXELS-1:0] pixel;  // a pixel_t each

  modport transmitter(output valid, pixel, input ready);
  modport receiver(input valid, pixel, output ready);
endinterface
