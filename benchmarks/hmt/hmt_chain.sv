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

    input  logic                    s_axis_tvalid,
    input  logic [DATA_WIDTH-1:0]   s_axis_tdata,
    input  logic [DATA_WIDTH/8-1:0] s_axis_tkeep,
    input  logic                    s_axis_tlast,
    output logic                    taken_o,

    output logic                    m_axis_tvalid,
    input  logic                    m_axis_tready,
    output logic [DATA_WIDTH-1:0]   m_axis_tdata,
    output logic [DATA_WIDTH/8-1:0] m_axis_tkeep,
    output logic                    m_axis_tlast
);
  localparam int unsigned Nodes = 3;

  logic clk, tick_q, s_axis_tready;
  assign clk = tick_i != tick_q;
  always_ff @(posedge clk) begin
    tick_q <= tick_i;
    taken_o <= s_axis_tvalid && s_axis_tready;
  end

  // Into topic i, and out of it; node i stands between topic i and topic i + 1.
  logic [Nodes:0] in_valid, in_ready, in_last, out_valid, out_ready, out_last;
  logic [Nodes:0][DATA_WIDTH-1:0] in_data, out_data;
  logic [Nodes:0][DATA_WIDTH/8-1:0] in_keep, out_keep;

  assign {in_valid[0], in_data[0], in_keep[0], in_last[0]} = {s_axis_tvalid, s_axis_tdata, s_axis_tkeep, s_axis_tlast};
  assign s_axis_tready = in_ready[0];
  assign {m_axis_tvalid, m_axis_tdata, m_axis_tkeep, m_axis_tlast} =
      {out_valid[Nodes], out_data[Nodes], out_keep[Nodes], out_last[Nodes]};
  assign out_ready[Nodes] = m_axis_tready;

  for (genvar i = 0; i <= Nodes; i++) begin : g_topic
    // verilator lint_off PINCONNECTEMPTY
    lig_topic #(.DATA_WIDTH(DATA_WIDTH), .STATS(0)) topic (
        .clk_i(clk), .rst_i,
        .s_axis_tvalid(in_valid[i]), .s_axis_tready(in_ready[i]), .s_axis_tdata(in_data[i]),
        .s_axis_tkeep(in_keep[i]), .s_axis_tlast(in_last[i]),
        .m_axis_tvalid(out_valid[i]), .m_axis_tready(out_ready[i]), .m_axis_tdata(out_data[i]),
        .m_axis_tkeep(out_keep[i]), .m_axis_tlast(out_last[i]),
        .drops_o(), .frames_o(), .beats_o(), .stalls_o(), .gaps_o(), .peaks_o());
    // verilator lint_on PINCONNECTEMPTY
  end

  for (genvar i = 0; i < Nodes; i++) begin : g_node
    hmt_node #(.DATA_WIDTH(DATA_WIDTH), .DATAFLOW(DATAFLOW), .CYCLES(i == 1 ? 2 : 1)) node (
        .clk_i(clk), .rst_i,
        .s_axis_tvalid(out_valid[i]), .s_axis_tready(out_ready[i]), .s_axis_tdata(out_data[i]),
        .s_axis_tkeep(out_keep[i]), .s_axis_tlast(out_last[i]),
        .m_axis_tvalid(in_valid[i+1]), .m_axis_tready(in_ready[i+1]), .m_axis_tdata(in_data[i+1]),
        .m_axis_tkeep(in_keep[i+1]), .m_axis_tlast(in_last[i+1]));
  end
endmodule
