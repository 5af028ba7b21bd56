// SPDX-License-Identifier: Apache-2.0
//
// lig_gate_tb: lig_gate on a clock as generated designs have it: each change of tick_i is a cycle.
module lig_gate_tb #(
    parameter int unsigned LINGER = 0
) (
    input  logic        tick_i,
    input  logic        rst_i,
    input  logic        wake_i,
    output logic [31:0] ticks_o  // of the gated clock
);
  logic clk, tick_q, gated;
  initial begin
    tick_q = 1'b0;
    ticks_o = '0;
  end
  assign clk = tick_i != tick_q;
  always_ff @(posedge clk) tick_q <= tick_i;

  lig_gate #(.LINGER(LINGER)) gate (.clk_i(clk), .rst_i, .wake_i, .clk_o(gated));
  always_ff @(posedge gated) ticks_o <= ticks_o + 1'b1;
endmodule
