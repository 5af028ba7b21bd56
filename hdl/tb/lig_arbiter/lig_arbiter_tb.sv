// SPDX-License-Identifier: Apache-2.0
//
// lig_arbiter with each of its streams in a scope of its own, s[i] and m[i], as cocotbext-axi wants them.
// verilator lint_off UNDRIVEN
// verilator lint_off UNUSEDSIGNAL
// The far ends of the streams are driven and read by the bench.
module lig_arbiter_tb #(
    parameter int unsigned DATA_WIDTH = 64,
    parameter int unsigned INPUTS = 2
) (
    input logic clk_i,
    input logic rst_i,
    output logic [(INPUTS > 1 ? $clog2(INPUTS) : 1)-1:0] id_o
);
  logic [INPUTS-1:0] s_axis_tvalid_a, s_axis_tready_a, s_axis_tlast_a;
  logic [INPUTS-1:0][DATA_WIDTH-1:0] s_axis_tdata_a;
  logic [INPUTS-1:0][DATA_WIDTH/8-1:0] s_axis_tkeep_a;
  logic [1-1:0] m_axis_tvalid_a, m_axis_tready_a, m_axis_tlast_a;
  logic [1-1:0][DATA_WIDTH-1:0] m_axis_tdata_a;
  logic [1-1:0][DATA_WIDTH/8-1:0] m_axis_tkeep_a;

  for (genvar i = 0; i < INPUTS; i++) begin : s
    logic s_axis_tvalid, s_axis_tready, s_axis_tlast;
    logic [DATA_WIDTH-1:0] s_axis_tdata;
    logic [DATA_WIDTH/8-1:0] s_axis_tkeep;
    assign s_axis_tvalid_a[i] = s_axis_tvalid;
    assign s_axis_tdata_a[i] = s_axis_tdata;
    assign s_axis_tkeep_a[i] = s_axis_tkeep;
    assign s_axis_tlast_a[i] = s_axis_tlast;
    assign s_axis_tready = s_axis_tready_a[i];
  end

  for (genvar i = 0; i < 1; i++) begin : m
    logic m_axis_tvalid, m_axis_tready, m_axis_tlast;
    logic [DATA_WIDTH-1:0] m_axis_tdata;
    logic [DATA_WIDTH/8-1:0] m_axis_tkeep;
    assign m_axis_tvalid = m_axis_tvalid_a[i];
    assign m_axis_tdata = m_axis_tdata_a[i];
    assign m_axis_tkeep = m_axis_tkeep_a[i];
    assign m_axis_tlast = m_axis_tlast_a[i];
    assign m_axis_tready_a[i] = m_axis_tready;
  end

  lig_arbiter #(.DATA_WIDTH(DATA_WIDTH), .INPUTS(INPUTS)) dut (
      .clk_i, .rst_i,
      .s_axis_tvalid(s_axis_tvalid_a), .s_axis_tready(s_axis_tready_a), .s_axis_tdata(s_axis_tdata_a), .s_axis_tkeep(s_axis_tkeep_a), .s_axis_tlast(s_axis_tlast_a),
      .m_axis_tvalid(m_axis_tvalid_a), .m_axis_tready(m_axis_tready_a), .m_axis_tdata(m_axis_tdata_a), .m_axis_tkeep(m_axis_tkeep_a), .m_axis_tlast(m_axis_tlast_a),
      .m_axis_tid(id_o));
endmodule
