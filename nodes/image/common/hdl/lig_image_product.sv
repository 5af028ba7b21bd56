// SPDX-License-Identifier: Apache-2.0
//
// lig_image_product: the product of two signed numbers of 52 bits, 46 of which are dropped, rounded.
//
// The multiplier of lig_image_bend. Four products of halves, which a family's multipliers do, and their sum: two
// register stages, so that the map keeps up with one pixel per cycle at any clock that the family's multipliers reach.
//
//   latency              2
//   initiation interval  1
//   storage              4 products
module lig_image_product (
    input  logic               clk_i,
    input  logic               move_i,  // the pipeline goes on
    input  logic signed [51:0] a_i,
    input  logic signed [51:0] b_i,
    output logic signed [51:0] product_o,
    output logic               over_o   // it does not fit
);
  logic signed [63:0] a_high, b_high, a_low, b_low;  // halves; the low ones are not negative
  assign a_high = 64'($signed(a_i[51:26]));
  assign b_high = 64'($signed(b_i[51:26]));
  assign a_low = $signed({38'd0, a_i[25:0]});
  assign b_low = $signed({38'd0, b_i[25:0]});

  logic signed [63:0] high_q, cross_q, swapped_q, low_q;
  logic [52:0] result_q;  // whether it does not fit, and the product

  function automatic logic [52:0] rounded(input logic signed [63:0] high, input logic signed [63:0] mixed,
                                          input logic signed [63:0] low);
    logic signed [63:0] sum;
    sum = (high <<< 6) + ((mixed + (low >>> 26) + 64'sd524288) >>> 20);
    return {sum[63:52] != {12{sum[51]}}, sum[51:0]};
  endfunction

  always_ff @(posedge clk_i) begin
    if (move_i) begin
      high_q <= a_high * b_high;
      cross_q <= a_high * b_low;
      swapped_q <= a_low * b_high;
      low_q <= a_low * b_low;
      result_q <= rounded(high_q, cross_q + swapped_q, low_q);
    end
  end
  assign {over_o, product_o} = result_q;
endmodule
