// SPDX-License-Identifier: Apache-2.0
//
// lig_drive_float_pkg: IEEE 754 numbers by their bits.
// verilator lint_off UNUSEDPARAM
// A package uses none of its constants itself.
package lig_drive_float_pkg;
  // The float64 with the value of a float32; of what is too small to matter (below 2^-126), another such.
  function automatic logic [63:0] wide_of(input logic [31:0] float);
    return {float[31], 11'(float[30:23]) + 11'd896, float[22:0], 29'd0};
  endfunction

  // Whether a float32 is a number between -1000 and 1000: what a lane's points are held to (parts/lane_message.hpp).
  function automatic logic is_near(input logic [31:0] float);
    return float[30:0] <= 31'h447A_0000;
  endfunction
endpackage
// verilator lint_on UNUSEDPARAM
