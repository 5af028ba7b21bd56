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
  logic signed [25:0] a_high, b_high;
  logic signed [26:0] a_low, b_low;  // not negative
  assign a_high = a_i[51:26];
  assign b_high = b_i[51:26];
  assign a_low = {1'b0, a_i[25:0]};
  assign b_low = {1'b0, b_i[25:0]};

  logic signed [63:0] high_q, cross_q, swapped_q, low_q;

  function automatic logic signed [63:0] sum_of(input logic signed [63:0] high, input logic signed [63:0] mixed,
                                                input logic signed [63:0] low);
    return (high <<< 6) + ((mixed + (low >>> 26) + 64'sd524288) >>> 20);
  endfunction
  function automatic logic exceeds(input logic signed [63:0] sum);
    return sum != 64'($signed(sum[51:0]));
  endfunction

  always_ff @(posedge clk_i) begin
    if (move_i) begin
      high_q <= 64'(a_high) * 64'(b_high);
      cross_q <= 64'(a_high) * 64'(b_low);
      swapped_q <= 64'(a_low) * 64'(b_high);
      low_q <= 64'(a_low) * 64'(b_low);
      product_o <= 52'(sum_of(high_q, cross_q + swapped_q, low_q));
      over_o <= exceeds(sum_of(high_q, cross_q + swapped_q, low_q));
    end
  end
endmodule
