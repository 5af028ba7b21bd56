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
    output logic [SUBSCRIBERS-1:0][31:0] drops_o,
    output logic [31:0] frames_o,
    output logic [31:0] beats_o,
    output logic [31:0] stalls_o,
    output logic [31:0] gaps_o,
    output logic [SUBSCRIBERS-1:0][31:0] peaks_o
);
  logic [PUBLISHERS-1:0] s_axis_tvalid_a, s_axis_tready_a, s_axis_tlast_a;
  logic [PUBLISHERS-1:0][DATA_WIDTH-1:0] s_axis_tdata_a;
  logic [PUBLISHERS-1:0][DATA_WIDTH/8-1:0] s_axis_tkeep_a;
  logic [SUBSCRIBERS-1:0] m_axis_tvalid_a, m_axis_tready_a, m_axis_tlast_a;
  logic [SUBSCRIBERS-1:0][DATA_WIDTH-1:0] m_axis_tdata_a;
  logic [SUBSCRIBERS-1:0][DATA_WIDTH/8-1:0] m_axis_tkeep_a;

  for (genvar i = 0; i < PUBLISHERS; i++) begin : s
    logic s_axis_tvalid, s_axis_tready, s_axis_tlast;
    logic [DATA_WIDTH-1:0] s_axis_tdata;
    logic [DATA_WIDTH/8-1:0] s_axis_tkeep;
    assign s_axis_tvalid_a[i] = s_axis_tvalid;
    assign s_axis_tdata_a[i] = s_axis_tdata;
    assign s_axis_tkeep_a[i] = s_axis_tkeep;
    assign s_axis_tlast_a[i] = s_axis_tlast;
    assign s_axis_tready = s_axis_tready_a[i];
  end

  for (genvar i = 0; i < SUBSCRIBERS; i++) begin : m
    logic m_axis_tvalid, m_axis_tready, m_axis_tlast;
    logic [DATA_WIDTH-1:0] m_axis_tdata;
    logic [DATA_WIDTH/8-1:0] m_axis_tkeep;
    assign m_axis_tvalid = m_axis_tvalid_a[i];
    assign m_axis_tdata = m_axis_tdata_a[i];
    assign m_axis_tkeep = m_axis_tkeep_a[i];
    assign m_axis_tlast = m_axis_tlast_a[i];
    assign m_axis_tready_a[i] = m_axis_tready;
  end

  lig_topic #(
      .DATA_WIDTH(DATA_WIDTH), .PUBLISHERS(PUBLISHERS), .SUBSCRIBERS(SUBSCRIBERS), .QOS(QOS),
      .DEPTH({SUBSCRIBERS{DEPTH}}), .HISTORY({SUBSCRIBERS{HISTORY}})) dut (
      .clk_i, .rst_i,
      .s_axis_tvalid(s_axis_tvalid_a), .s_axis_tready(s_axis_tready_a), .s_axis_tdata(s_axis_tdata_a), .s_axis_tkeep(s_axis_tkeep_a), .s_axis_tlast(s_axis_tlast_a),
      .m_axis_tvalid(m_axis_tvalid_a), .m_axis_tready(m_axis_tready_a), .m_axis_tdata(m_axis_tdata_a), .m_axis_tkeep(m_axis_tkeep_a), .m_axis_tlast(m_axis_tlast_a),
      .drops_o, .frames_o, .beats_o, .stalls_o, .gaps_o, .peaks_o);
endmodule
