// SPDX-License-Identifier: Apache-2.0
//
// lig_afifo: carries a stream from one clock to another.
//
// Crossing of clock domains: lig_cross says how, and what tools must be told.
//
// Reset: hold both resets together for a cycle of each clock at least. Beats that are inside are lost, whole frames or
// not.
//
//   latency              2 cycles of s_clk_i and SYNC_STAGES + 2 of m_clk_i, at most
//   initiation interval  1 (of the slower clock)
//   storage              DEPTH beats, and one that is offered
module lig_afifo #(
    parameter int unsigned DATA_WIDTH = 64,  // bits; a multiple of 8, 8..512
    parameter int unsigned KEEP_WIDTH = DATA_WIDTH / 8,
    parameter int unsigned DEPTH = 16,       // beats; a power of two, 8..65536
    parameter int unsigned SYNC_STAGES = 2   // 2..4
) (
    input  logic                  s_clk_i,
    input  logic                  s_rst_i,  // synchronous, high
    lig_axis_if.receiver s_axis,

    input  logic                  m_clk_i,
    input  logic                  m_rst_i,  // synchronous, high
    lig_axis_if.transmitter m_axis
);
  if (DATA_WIDTH < 8 || DATA_WIDTH > 512 || DATA_WIDTH % 8 != 0) begin : g_rule_data_width
    $fatal(1, "lig_afifo: rule data_width: DATA_WIDTH = %0d, a multiple of 8 in 8..512 is needed", DATA_WIDTH);
  end
  if (DEPTH < 8 || DEPTH > 65536 || (DEPTH & (DEPTH - 1)) != 0) begin : g_rule_depth
    $fatal(1, "lig_afifo: rule depth: DEPTH = %0d, a power of two in 8..65536 is needed", DEPTH);
  end
  if (SYNC_STAGES < 2 || SYNC_STAGES > 4) begin : g_rule_sync_stages
    $fatal(1, "lig_afifo: rule sync_stages: SYNC_STAGES = %0d, 2..4 is needed", SYNC_STAGES);
  end

  localparam int unsigned W = DATA_WIDTH + KEEP_WIDTH + 1;

  lig_cross #(.WIDTH(W), .DEPTH(DEPTH), .SYNC_STAGES(SYNC_STAGES)) beats (
      .s_clk_i, .s_rst_i, .s_valid_i(s_axis.tvalid), .s_ready_o(s_axis.tready),
      .s_data_i({s_axis.tlast, s_axis.tkeep, s_axis.tdata}),
      .m_clk_i, .m_rst_i, .m_valid_o(m_axis.tvalid), .m_ready_i(m_axis.tready),
      .m_data_o({m_axis.tlast, m_axis.tkeep, m_axis.tdata}));

`ifdef LIG_RULES
  lig_axis_rules #(.DATA_WIDTH(DATA_WIDTH), .KEEP_WIDTH(KEEP_WIDTH)) rules_s (
      .clk_i(s_clk_i), .rst_i(s_rst_i), .tvalid(s_axis.tvalid), .tready(s_axis.tready), .tdata(s_axis.tdata),
      .tkeep(s_axis.tkeep), .tlast(s_axis.tlast));
  lig_axis_rules #(.DATA_WIDTH(DATA_WIDTH), .KEEP_WIDTH(KEEP_WIDTH)) rules_m (
      .clk_i(m_clk_i), .rst_i(m_rst_i), .tvalid(m_axis.tvalid), .tready(m_axis.tready), .tdata(m_axis.tdata),
      .tkeep(m_axis.tkeep), .tlast(m_axis.tlast));
`endif
endmodule
