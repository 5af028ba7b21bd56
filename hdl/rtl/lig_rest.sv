// SPDX-License-Identifier: Apache-2.0
//
// lig_rest: lig_gate for what stands still while nothing moves on its streams, also where one of them waits.
//
// clk_o ticks while busy_i is high, in each cycle in which a beat passes on a stream, or one of its signals has changed, and
// in the LINGER cycles behind these. Whoever uses it promises: what is clocked comes to rest within so many cycles, and then
// only a beat that passes, a new offer or a new readiness lets it go on. busy_i is for what takes longer in there.
//
//   latency              none; reset has to last 3 cycles
//   storage              none in hardware
//
// Example: a core that waits for its pictures' rows, and between them for whoever takes its own.
module lig_rest #(
    parameter int unsigned STREAMS = 2,
    parameter int unsigned LINGER  = 15  // 0..1023
) (
    input  logic clk_i,
    input  logic rst_i,   // synchronous, high
    input  logic busy_i,
    input  logic [STREAMS-1:0] valid_i,
    input  logic [STREAMS-1:0] ready_i,
    output logic clk_o
);
  logic [2*STREAMS-1:0] before_q;
  logic wakes;
  // Where it would not change, the clock may stand still for it, too.
  always_ff @(posedge clk_o) before_q <= {valid_i, ready_i};
  assign wakes = busy_i || (valid_i & ready_i) != '0 || before_q != {valid_i, ready_i};
  lig_gate #(.LINGER(LINGER)) gate (.clk_i, .rst_i, .wake_i(wakes), .clk_o);
endmodule
