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

  localparam int unsigned HsvLatency = 3;     // moves, of lig_drive_hsv
  localparam int unsigned WithinLatency = 2;  // of lig_drive_within
  localparam int unsigned ClassLatency = HsvLatency + WithinLatency;  // of lig_drive_class

  // Classes of pixels (kernels/stripes.hpp), as an image has them: 0, 127, 255.
  typedef enum logic [1:0] {Ground = 2'd0, Yellow = 2'd1, White = 2'd2} class_e;

  // Why a driving core refuses a message, besides the reasons of lig_image_pkg and in the same beat.
  typedef enum logic [7:0] {
    NoMask      = 8'd34,  // not mono8
    TooManyRuns = 8'd35,  // more than the core holds
    NoBand      = 8'd40   // the band lies outside of near_edge ... far_edge
  } drive_refusal_e;

  // A range as parameters have it, each 64 bits.
  function automatic colour_range_t range_of(
      input logic [63:0] hue_from, input logic [63:0] hue_to, input logic [63:0] saturation_from,
      input logic [63:0] saturation_to, input logic [63:0] value_from);
    return '{
        hue_from: hue_from[8:0], hue_to: hue_to[8:0], saturation_from: saturation_from[7:0],
        saturation_to: saturation_to[7:0], value_from: value_from[7:0], value_to: 8'd255};
  endfunction
endpackage
// verilator lint_on UNUSEDPARAM
