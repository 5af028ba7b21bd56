// SPDX-License-Identifier: Apache-2.0
//
// lig_rest_rules: a module that says it rests does rest, checked on every cycle where LIG_RULES is defined.
//
// It drives nothing. A clock may be stopped on what `moves_i` says: in the cycle after one in which it was low
// nothing of `is_i` may have changed.
module lig_rest_rules #(
    parameter int unsigned WIDTH = 64,
    parameter string WHEN = "moves_o was low"  // for the sentence
) (
    input logic             clk_i, rst_i, moves_i,
    input logic [WIDTH-1:0] is_i  // what would be seen to move
);
  logic rests_q;
  logic [WIDTH-1:0] was_q;

  always_ff @(posedge clk_i) begin
    rests_q <= !rst_i && !moves_i;
    was_q <= is_i;
    if (!rst_i && rests_q && was_q != is_i) $fatal(1, "%m: rule rest: something moved while %s", WHEN);
  end
endmodule
