// SPDX-License-Identifier: Apache-2.0
//
// lig_drive_pkg: what the driving cores say of colours.
// verilator lint_off UNUSEDPARAM
// A package uses none of its constants itself.
package lig_drive_pkg;
  // Hue, saturation and value of a pixel, not divided: S = chroma / value, H = hue / chroma degrees.
  typedef struct packed {
    logic [7:0]  value;   // largest channel
    logic [7:0]  chroma;  // largest less smallest channel
    logic [16:0] hue;     // degrees times chroma, 0 ... below 360 * chroma; 0 where chroma is 0
  } hsv_t;

  // ColourRange of kernels/colour.hpp: both ends belong to it; hue_from above hue_to passes through red.
  typedef struct packed {
    logic [8:0] hue_from;  // degrees, 0 ... 360
    logic [8:0] hue_to;
    logic [7:0] saturation_from;  // 0 ... 255
    logic [7:0] saturation_to;
    logic [7:0] value_from;
    logic [7:0] value_to;
  } colour_range_t;

  localparam int unsigned HsvLatency = 2;     // cycles, of lig_drive_hsv
  localparam int unsigned WithinLatency = 2;  // of lig_drive_within
endpackage
// verilator lint_on UNUSEDPARAM
