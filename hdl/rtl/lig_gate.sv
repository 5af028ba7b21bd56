// SPDX-License-Identifier: Apache-2.0
//
// lig_gate: lets simulators leave out what stands still.
//
// A simulator computes all that depends on a clock whenever that clock ticks, also where nothing can change. clk_o
// ticks with clk_i in the cycles in which wake_i is high, in the LINGER cycles behind them, and during and behind
// reset; in the others, whatever clk_o clocks is not computed at all. It is for registers that keep their values
// then anyway: whoever sets wake_i promises that, so cycles and results are the same with and without.
//
// Only with LIG_TICK, where a simulator evaluates each cycle once and the clock has fallen before wake_i can change, and with
// LIG_GATED on an ordinary clock: so benches of cores notice who breaks the promise. In hardware and in waveforms clk_o is
// clk_i: nothing is gated, nothing is added.
//
//   latency              none; reset has to last 3 cycles
//   storage              none in hardware
//
// Example: a unit that works for 150 cycles of each image, wake_i its start or any state but Idle.
module lig_gate #(
    parameter int unsigned LINGER = 0  // cycles in which things still move after wake_i, 0..1023
) (
    input  logic clk_i,
    input  logic rst_i,   // synchronous, high
    input  logic wake_i,
    output logic clk_o
);
  if (LINGER > 1023) begin : g_rule_linger
    $fatal(1, "lig_gate: rule linger: LINGER = %0d, 0..1023 is needed", LINGER);
  end

`ifdef LIG_TICK
  `define LIG_STOPS
`elsif LIG_GATED
  `define LIG_STOPS
`endif
`ifdef LIG_STOPS
  // Its own registers stand still with the rest: none of them changes in a cycle without a tick.
  logic wakes /* verilator public_flat_rd */;
  if (LINGER == 0) begin : g_at_once
    logic reset_q;
    always_ff @(posedge clk_o) reset_q <= rst_i;
    assign wakes = wake_i || rst_i || reset_q;
  end else begin : g_linger
    localparam int unsigned Bits = $clog2(LINGER + 1);
    logic [Bits-1:0] left_q;
    always_ff @(posedge clk_o) begin
      if (rst_i || wake_i) left_q <= Bits'(LINGER);
      else left_q <= left_q - 1'b1;
    end
    assign wakes = wake_i || rst_i || left_q != '0;
  end
`ifdef LIG_TICK
  assign clk_o = clk_i && wakes;
`else
  // An ordinary clock is still high when wake_i changes: what was while it was low counts.
  logic ticks;
  always_latch if (!clk_i) ticks = wakes;
  assign clk_o = clk_i && ticks;
`endif
`else
  logic unused_wake;
  assign unused_wake = rst_i || wake_i;
  assign clk_o = clk_i;
`endif
endmodule
