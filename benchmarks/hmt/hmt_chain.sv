// SPDX-License-Identifier: Apache-2.0
//
// hmt_chain: three nodes (hmt_node) with a hardware topic before, between and behind them, in hmt_top's
// place under main.cpp: one publisher, one subscriber. The middle node works twice as long per beat.
module hmt_chain #(
    parameter int unsigned DATA_WIDTH = 64,
    parameter bit DATAFLOW = 1'b0
) (
    input logic tick_i,  // changes once per cycle, see hmt_top
    input logic rst_i,

    input logic s_axis_tvalid, s_axis_tlast, input logic [DATA_WIDTH-1:0] s_axis_tdata,
    input logic [DATA_WIDTH/8-1:0] s_axis_tkeep, output logic taken_o,

    output logic m_axis_tvalid, m_axis_tlast, output logic [DATA_WIDTH-1:0] m_axis_tdata,
    output logic [DATA_WIDTH/8-1:0] m_axis_tkeep, input logic m_axis_tready
);
  localparam int unsigned Nodes = 3;

  logic clk, tick_q, s_axis_tready;
  assign clk = tick_i != tick_q;
  always_ff @(posedge clk) begin
    tick_q <= tick_i;
    taken_o <= s_axis_tvalid && s_axis_tready;
  end

  // Into topic i, and out of it; node i stands between topic i and topic i + 1.
  lig_axis_if #(.DATA_WIDTH(DATA_WIDTH)) in[Nodes+1] (), out[Nodes+1] ();
  assign {in[0].tvalid, in[0].tdata, in[0].tkeep, in[0].tlast} = {
      s_axis_tvalid, s_axis_tdata, s_axis_tkeep, s_axis_tlast};
  assign s_axis_tready = in[0].tready;
  assign {m_axis_tvalid, m_axis_tdata, m_axis_tkeep, m_axis_tlast} = {
      out[Nodes].tvalid, out[Nodes].tdata, out[Nodes].tkeep, out[Nodes].tlast};
  assign out[Nodes].tready = m_axis_tready;

  for (genvar i = 0; i <= Nodes; i++) begin : g_topic
    // verilator lint_off PINCONNECTEMPTY
    lig_topic #(.DATA_WIDTH(DATA_WIDTH), .STATS(0)) topic (
        .clk_i(clk), .rst_i, .s_axis(in[i:i]), .m_axis(out[i:i]),
        .drops_o(), .frames_o(), .beats_o(), .stalls_o(), .gaps_o(), .peaks_o());
    // verilator lint_on PINCONNECTEMPTY
  end

  for (genvar i = 0; i < Nodes; i++) begin : g_node
    hmt_node #(.DATA_WIDTH(DATA_WIDTH), .DATAFLOW(DATAFLOW), .CYCLES(i == 1 ? 2 : 1)) node (
        .clk_i(clk), .rst_i, .s_axis(out[i]), .m_axis(in[i+1]));
  end
endmodule
