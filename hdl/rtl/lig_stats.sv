// SPDX-License-Identifier: Apache-2.0
//
// lig_stats: counts what passes on a stream, and what keeps it from passing.
//
// It watches and drives nothing. Every cycle is one of: a beat (valid and ready), a stall (valid, not ready),
// a gap (neither, within a frame), or idle (between frames; not counted: the cycles that are left).
// Counters saturate: a full one is read as "at least", never as a small number. clear_i starts anew.
//
//   latency              counts are one cycle behind
//   storage              4 counters of COUNTER_WIDTH bits
module lig_stats #(
    parameter int unsigned COUNTER_WIDTH = 32  // bits; 8..64
) (
    input logic clk_i, rst_i,  // reset: synchronous, high
    input logic clear_i,

    lig_axis_if.monitor axis,

    output logic [COUNTER_WIDTH-1:0] frames_o, beats_o, stalls_o, gaps_o
);
  if (COUNTER_WIDTH < 8 || COUNTER_WIDTH > 64) begin : g_rule_counter_width
    $fatal(1, "lig_stats: rule counter_width: COUNTER_WIDTH = %0d, 8..64 is needed", COUNTER_WIDTH);
  end

  logic inside_q;  // between the first beat of a frame and its last

  function automatic logic [COUNTER_WIDTH-1:0] next(input logic [COUNTER_WIDTH-1:0] count, input logic step);
    return count + COUNTER_WIDTH'(step && !(&count));
  endfunction

  always_ff @(posedge clk_i) begin
    if (axis.tvalid && axis.tready) inside_q <= !axis.tlast;
    frames_o <= next(frames_o, axis.tvalid && axis.tready && axis.tlast);
    beats_o <= next(beats_o, axis.tvalid && axis.tready);
    stalls_o <= next(stalls_o, axis.tvalid && !axis.tready);
    gaps_o <= next(gaps_o, inside_q && !axis.tvalid);
    if (rst_i) inside_q <= 1'b0;
    if (rst_i || clear_i) begin
      frames_o <= '0;
      beats_o <= '0;
      stalls_o <= '0;
      gaps_o <= '0;
    end
  end
endmodule
