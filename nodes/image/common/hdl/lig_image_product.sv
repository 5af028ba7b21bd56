// SPDX-License-Identifier: Apache-2.0
//
// lig_image_product: the product of two signed numbers of 52 bits, 46 of which are dropped, rounded.
//
// The multiplier of lig_image_bend. Four products of halves, which a family's multipliers do, and their sum: two
// register stages, so that the map keeps up with one pixel per cycle at any clock that the family's multipliers reach.
//
//   latency              2
//   initiation interval  1
//   storage              3 sums of products
module lig_image_product (
    input  logic               clk_i,
    input  logic               move_i,  // the pipeline goes on
    input  logic signed [51:0] a_i,
    input  logic signed [51:0] b_i,
    output logic signed [51:0] product_o,
    output logic [63:0]        over_o   // its upper 12 bits are 0 if it fits
);
  logic signed [63:0] a_high, b_high, a_low, b_low;  // halves; the low ones are not negative
  assign a_high = 64'($signed(a_i[51:26]));
  assign b_high = 64'($signed(b_i[51:26]));
  assign a_low = $signed({38'd0, a_i[25:0]});
  assign b_low = $signed({38'd0, b_i[25:0]});

  logic signed [63:0] high_q, mixed_q, sum_q;
  logic [63:0] low_q;

  always_ff @(posedge clk_i) begin
    if (move_i) begin
      high_q <= a_high * b_high;
      mixed_q <= a_high * b_low + a_low * b_high;
      low_q <= 64'(a_low * b_low) >> 26;
      sum_q <= (high_q <<< 6) + ((mixed_q + $signed(low_q) + 64'sd524288) >>> 20);
    end
  end
  assign product_o = sum_q[51:0];
  assign over_o = sum_q ^ (sum_q << 1);  // signs that differ
endmodule
