// SPDX-License-Identifier: Apache-2.0
//
// lig_topic with each of its streams in a scope of its own, s[i] and m[i], as cocotbext-axi wants them.
// verilator lint_off UNDRIVEN
// verilator lint_off UNUSEDSIGNAL
// The far ends of the streams are driven and read by the bench.
module lig_topic_tb #(
    parameter int unsigned DATA_WIDTH = 64,
    parameter int unsigned PUBLISHERS = 2,
    parameter int unsigned SUBSCRIBERS = 3,
    parameter bit [SUBSCRIBERS-1:0][1:0] QOS = '0,
    parameter bit [31:0] DEPTH = 32,
    parameter bit [31:0] HISTORY = 1
) (
    input logic clk_i,
    input logic rst_i,
    output logic [31:0] frames_o, beats_o, stalls_o, gaps_o,
    output logic [SUBSCRIBERS-1:0][31:0] drops_o, peaks_o
);
  lig_axis_if #(.DATA_WIDTH(DATA_WIDTH)) s_axis[PUBLISHERS] (), m_axis[SUBSCRIBERS] ();
  lig_topic #(
      .DATA_WIDTH(DATA_WIDTH), .PUBLISHERS(PUBLISHERS), .SUBSCRIBERS(SUBSCRIBERS), .QOS(QOS),
      .DEPTH({SUBSCRIBERS{DEPTH}}), .HISTORY({SUBSCRIBERS{HISTORY}})) dut (.*);
endmodule
