// SPDX-License-Identifier: Apache-2.0
//
// lig_fifo: stores beats and hands them on at once; when it is full its producer waits.
//
// The queue of a keep-all subscriber, and plain elastic storage. It is cut-through: the first beat of a
// frame leaves before the last has come, so frames longer than DEPTH pass. Where frames must be dropped
// instead of making the producer wait: lig_fifo_drop (the newest), lig_fifo_last (the oldest).
//
//   latency              2 cycles
//   initiation interval  1
//   storage              DEPTH beats, and one that is offered
module lig_fifo #(
    parameter int unsigned DATA_WIDTH = 64,  // bits; a multiple of 8, 8..512
    parameter int unsigned KEEP_WIDTH = DATA_WIDTH / 8,
    parameter int unsigned DEPTH = 512       // beats; a power of two, 2..65536
) (
    input logic clk_i, rst_i,  // reset: synchronous, high

    lig_axis_if.receiver s_axis,
    lig_axis_if.transmitter m_axis,

    output logic [$clog2(DEPTH):0] level_o  // beats stored, without the offered one
);
  if (DATA_WIDTH < 8 || DATA_WIDTH > 512 || DATA_WIDTH % 8 != 0) begin : g_rule_data_width
    $fatal(1, "lig_fifo: rule data_width: DATA_WIDTH = %0d, a multiple of 8 in 8..512 is needed", DATA_WIDTH);
  end

  lig_queue #(.WIDTH(DATA_WIDTH + KEEP_WIDTH + 1), .DEPTH(DEPTH)) queue (
      .clk_i, .rst_i,
      .valid_i(s_axis.tvalid), .ready_o(s_axis.tready), .data_i({s_axis.tlast, s_axis.tkeep, s_axis.tdata}),
      .valid_o(m_axis.tvalid), .ready_i(m_axis.tready), .data_o({m_axis.tlast, m_axis.tkeep, m_axis.tdata}), .level_o);

`ifdef LIG_RULES
  lig_axis_rules #(.DATA_WIDTH(DATA_WIDTH), .KEEP_WIDTH(KEEP_WIDTH)) rules_s (
      .clk_i, .rst_i, .tvalid(s_axis.tvalid), .tready(s_axis.tready), .tdata(s_axis.tdata),
      .tkeep(s_axis.tkeep), .tlast(s_axis.tlast));
  lig_axis_rules #(.DATA_WIDTH(DATA_WIDTH), .KEEP_WIDTH(KEEP_WIDTH)) rules_m (
      .clk_i, .rst_i, .tvalid(m_axis.tvalid), .tready(m_axis.tready), .tdata(m_axis.tdata),
      .tkeep(m_axis.tkeep), .tlast(m_axis.tlast));
`endif
endmodule
