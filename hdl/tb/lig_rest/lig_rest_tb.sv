// SPDX-License-Identifier: Apache-2.0
//
// lig_rest_tb: lig_rest on a clock as generated designs have it: each change of tick_i is a cycle.
module lig_rest_tb #(
    parameter int unsigned LINGER = 1
) (
    input  logic        tick_i,
    input  logic        rst_i,
    input  logic        busy_i,
    input  logic [1:0]  valid_i,
    input  logic [1:0]  ready_i,
    output logic [31:0] ticks_o  // of the clock that stops
);
  logic clk, tick_q, gated;
  initial begin
    tick_q = 1'b0;
    ticks_o = '0;
  end
  assign clk = tick_i != tick_q;
  always_ff @(posedge clk) tick_q <= tick_i;

  lig_rest #(.LINGER(LINGER)) rest (.clk_i(clk), .rst_i, .busy_i, .valid_i, .ready_i, .clk_o(gated));
  always_ff @(posedge gated) ticks_o <= ticks_o + 1'b1;
endmodule
