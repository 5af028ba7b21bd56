// SPDX-License-Identifier: Apache-2.0
//
// lig_drive_fixed: a float64 as the nearest whole number of 1 / 2^bits, halves away from 0 (to_fixed() of kernels/fixed.hpp).
//
// One place per cycle: for parameters, and for the few numbers of a message. A float32 comes as the float64 of its value
// (wide_of() of lig_drive_float_pkg).
//
//   latency  up to 56 cycles
module lig_drive_fixed (
    input logic clk_i, rst_i,  // reset: synchronous, high

    input  logic        start_i,
    input  logic [63:0] float_i,
    input  logic [5:0]  bits_i,  // binary places, 0 ... 52
    output logic        busy_o,  // from the next cycle on, until it is done

    output logic signed [63:0] fixed_o  // not of what is 2^(53 - bits) or more, nor of what is no number
);
  logic [52:0] value_q;
  logic half_q, negative_q;  // half: the place behind the last
  logic [5:0] left_q;        // places that are too many
  logic [11:0] many;

  localparam logic [5:0] All = 6'd55;  // places behind which nothing is left

  // A float64 is 1.m * 2^(e - 1023), and m has 52 places. What has e = 0 is less than any place asked for.
  assign many = 12'd1075 - 12'(bits_i) - 12'(float_i[62:52]);
  assign busy_o = left_q != '0;
  // Of a negative one all bits the other way round, and 1: one sum for both.
  assign fixed_o = (negative_q ? ~64'(value_q) : 64'(value_q)) + 64'(half_q ^ negative_q);

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      value_q <= {1'b1, float_i[51:0]};
      half_q <= 1'b0;
      negative_q <= float_i[63];
      left_q <= many[11] ? '0 : many > 12'(All) ? All : many[5:0];
    end else if (busy_o) begin
      {value_q, half_q} <= {1'b0, value_q};
      left_q <= left_q - 1'b1;
    end
    if (rst_i) left_q <= '0;
  end
endmodule
