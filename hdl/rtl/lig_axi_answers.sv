// SPDX-License-Identifier: Apache-2.0
//
// lig_axi_answers: a register stage for the answers to writes, where they would lead from an input of a memory port
// to an output (a manager's bready may wait for its bvalid). All else passes.
//
//   latency              1 cycle for answers, 0 for the rest
//   initiation interval  1
//   storage              2 answers
module lig_axi_answers #(
    parameter int unsigned ID_WIDTH = 1  // 1..8
) (
    input logic clk_i, rst_i,  // reset: synchronous, high
    lig_axi_if.subordinate s_axi,
    lig_axi_if.manager m_axi
);
  assign {m_axi.arvalid, m_axi.arid, m_axi.araddr, m_axi.arlen} = {
      s_axi.arvalid, s_axi.arid, s_axi.araddr, s_axi.arlen};
  assign s_axi.arready = m_axi.arready;
  assign {s_axi.rvalid, s_axi.rid, s_axi.rdata, s_axi.rresp, s_axi.rlast} = {
      m_axi.rvalid, m_axi.rid, m_axi.rdata, m_axi.rresp, m_axi.rlast};
  assign m_axi.rready = s_axi.rready;
  assign {m_axi.awvalid, m_axi.awid, m_axi.awaddr, m_axi.awlen} = {
      s_axi.awvalid, s_axi.awid, s_axi.awaddr, s_axi.awlen};
  assign s_axi.awready = m_axi.awready;
  assign {m_axi.wvalid, m_axi.wdata, m_axi.wstrb, m_axi.wlast} = {
      s_axi.wvalid, s_axi.wdata, s_axi.wstrb, s_axi.wlast};
  assign s_axi.wready = m_axi.wready;

  lig_axis_if #(.DATA_WIDTH(16), .KEEP_WIDTH(1)) ahead (), behind ();
  assign ahead.tvalid = m_axi.bvalid;
  assign ahead.tdata = {6'd0, m_axi.bresp, 8'(m_axi.bid)};
  assign ahead.tkeep = 1'b1;
  assign ahead.tlast = 1'b1;
  assign m_axi.bready = ahead.tready;
  // Simulators: only an answer that passes changes anything.
  logic clk;
  lig_gate gate (
      .clk_i, .rst_i, .wake_i((ahead.tvalid && ahead.tready) || (behind.tvalid && behind.tready)), .clk_o(clk));
  lig_skid #(.DATA_WIDTH(16), .KEEP_WIDTH(1)) answers (.clk_i(clk), .rst_i, .s_axis(ahead), .m_axis(behind));
  assign s_axi.bvalid = behind.tvalid;
  assign s_axi.bid = behind.tdata[ID_WIDTH-1:0];
  assign s_axi.bresp = behind.tdata[9:8];
  assign behind.tready = s_axi.bready;
endmodule
