// SPDX-License-Identifier: Apache-2.0
//
// lig_image_pixels_if: a stream of pixels, row by row, as one bundle of signals.
interface lig_image_pixels_if;
  logic valid, ready;
  lig_image_pkg::pixel_t pixel;

  modport transmitter(output valid, pixel, input ready);
  modport receiver(input valid, pixel, output ready);
endinterface
