// SPDX-License-Identifier: Apache-2.0
//
// lig_axi_cross: an AXI4 memory port (lig_axi_if) from one clock to another: a lig_cross per channel.
//
// Crossing of clock domains: only through lig_cross and lig_reset_cross. No path leads from one channel to another. What a
// manager announces may be on its way for some cycles, and so may an answer: nothing here counts them.
//
//   latency              per channel that of lig_cross
//   initiation interval  1 of the slower clock
//   storage              16 beats of data in each direction, 8 announcements and answers
module lig_axi_cross #(
    parameter int unsigned DATA_WIDTH = 64,  // bits; as in lig_axi_if
    parameter int unsigned ID_WIDTH = 1,
    parameter int unsigned SYNC_STAGES = 2   // 2..4
) (
    input logic s_clk_i, s_rst_i,     // reset: synchronous, high; of the manager's side, and of the crossing
    lig_axi_if.subordinate s_axi,
    input logic m_clk_i,
    lig_axi_if.manager m_axi
);
  localparam int unsigned Data = 16, Few = 8;  // words that wait
  localparam int unsigned Announcement = ID_WIDTH + 64 + 8;

  logic s_rst, m_rst;
  lig_reset_cross #(.SYNC_STAGES(SYNC_STAGES)) resets (
      .s_clk_i, .s_rst_i, .s_rst_o(s_rst), .m_clk_i, .m_rst_o(m_rst));

  lig_cross #(.WIDTH(Announcement), .DEPTH(Few), .SYNC_STAGES(SYNC_STAGES)) ar (
      .s_clk_i, .s_rst_i(s_rst), .s_valid_i(s_axi.arvalid), .s_ready_o(s_axi.arready),
      .s_data_i({s_axi.arid, s_axi.araddr, s_axi.arlen}),
      .m_clk_i, .m_rst_i(m_rst), .m_valid_o(m_axi.arvalid), .m_ready_i(m_axi.arready),
      .m_data_o({m_axi.arid, m_axi.araddr, m_axi.arlen}));

  lig_cross #(.WIDTH(Announcement), .DEPTH(Few), .SYNC_STAGES(SYNC_STAGES)) aw (
      .s_clk_i, .s_rst_i(s_rst), .s_valid_i(s_axi.awvalid), .s_ready_o(s_axi.awready),
      .s_data_i({s_axi.awid, s_axi.awaddr, s_axi.awlen}),
      .m_clk_i, .m_rst_i(m_rst), .m_valid_o(m_axi.awvalid), .m_ready_i(m_axi.awready),
      .m_data_o({m_axi.awid, m_axi.awaddr, m_axi.awlen}));

  lig_cross #(.WIDTH(DATA_WIDTH + DATA_WIDTH / 8 + 1), .DEPTH(Data), .SYNC_STAGES(SYNC_STAGES)) w (
      .s_clk_i, .s_rst_i(s_rst), .s_valid_i(s_axi.wvalid), .s_ready_o(s_axi.wready),
      .s_data_i({s_axi.wdata, s_axi.wstrb, s_axi.wlast}),
      .m_clk_i, .m_rst_i(m_rst), .m_valid_o(m_axi.wvalid), .m_ready_i(m_axi.wready),
      .m_data_o({m_axi.wdata, m_axi.wstrb, m_axi.wlast}));

  // Back: what was the far side is the near one.
  lig_cross #(.WIDTH(ID_WIDTH + DATA_WIDTH + 2 + 1), .DEPTH(Data), .SYNC_STAGES(SYNC_STAGES)) r (
      .s_clk_i(m_clk_i), .s_rst_i(m_rst), .s_valid_i(m_axi.rvalid), .s_ready_o(m_axi.rready),
      .s_data_i({m_axi.rid, m_axi.rdata, m_axi.rresp, m_axi.rlast}),
      .m_clk_i(s_clk_i), .m_rst_i(s_rst), .m_valid_o(s_axi.rvalid), .m_ready_i(s_axi.rready),
      .m_data_o({s_axi.rid, s_axi.rdata, s_axi.rresp, s_axi.rlast}));

  lig_cross #(.WIDTH(ID_WIDTH + 2), .DEPTH(Few), .SYNC_STAGES(SYNC_STAGES)) b (
      .s_clk_i(m_clk_i), .s_rst_i(m_rst), .s_valid_i(m_axi.bvalid), .s_ready_o(m_axi.bready),
      .s_data_i({m_axi.bid, m_axi.bresp}),
      .m_clk_i(s_clk_i), .m_rst_i(s_rst), .m_valid_o(s_axi.bvalid), .m_ready_i(s_axi.bready),
      .m_data_o({s_axi.bid, s_axi.bresp}));
endmodule
