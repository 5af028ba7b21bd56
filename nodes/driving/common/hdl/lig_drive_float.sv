// SPDX-License-Identifier: Apache-2.0
//
// lig_drive_float: a whole number of 1 / 2^bits as float64, which holds it exactly, and as float32, rounded to the nearest,
// halves to even (from_fixed() of kernels/fixed.hpp).
//
// One place per cycle.
//
//   latency  up to 53 cycles
module lig_drive_float (
    input logic clk_i, rst_i,  // reset: synchronous, high

    input  logic               start_i,
    input  logic signed [63:0] fixed_i,  // |fixed| < 2^53
    input  logic [5:0]         bits_i,   // binary places
    output logic               busy_o,   // from the next cycle on, until it is done

    output logic [63:0] double_o,
    output logic [31:0] single_o  // not of what is 2^127 or more, or less than 2^-126 and not 0
);
  logic [52:0] value_q;
  logic negative_q;
  logic [10:0] exponent_q;
  logic is_zero, up;

  assign is_zero = value_q == '0;
  assign busy_o = !value_q[52] && !is_zero;
  assign double_o = is_zero ? '0 : {negative_q, exponent_q, value_q[51:0]};
  // A float32 has 23 places: 29 go.
  assign up = value_q[28] && (value_q[27:0] != '0 || value_q[29]);
  assign single_o = is_zero ? '0 : {negative_q, {8'(exponent_q - 11'd896), value_q[51:29]} + 31'(up)};

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      value_q <= fixed_i < 0 ? -fixed_i[52:0] : fixed_i[52:0];
      negative_q <= fixed_i < 0;
      exponent_q <= 11'd1075 - 11'(bits_i);
    end else if (busy_o) begin
      value_q <= value_q << 1;
      exponent_q <= exponent_q - 1'b1;
    end
    if (rst_i) value_q <= '0;
  end
endmodule
