// SPDX-License-Identifier: Apache-2.0
//
// GATEWAYS gateways of topics 7, 8, ... on one memory port; each in a scope of its own, g[i], with its words as
// streams, as cocotbext-axi wants them.
// verilator lint_off UNDRIVEN
// verilator lint_off UNUSEDSIGNAL
// The far ends are driven and read by the bench.
module lig_gateway_tb
  import lig_transfer_pkg::*;
#(
    parameter int unsigned DATA_WIDTH = 64,
    parameter int unsigned GATEWAYS = 1,
    parameter int unsigned BURST_BEATS = 16,
    parameter int unsigned DEPTH = 64,
    parameter int unsigned OUTSTANDING = 4,
    parameter int unsigned QUEUE = 4,
    parameter int unsigned TIMEOUT = 0,
    parameter int unsigned ID_WIDTH = GATEWAYS > 1 ? $clog2(GATEWAYS) : 1
) (
    input logic clk_i,
    input logic rst_i,
    input logic recall_i,
    output logic [47:0] busy_o,
    output logic [47:0] reads_o,
    output logic [47:0] writes_o,

    output logic                    m_axi_arvalid,
    input  logic                    m_axi_arready,
    output logic [ID_WIDTH-1:0]     m_axi_arid,
    output logic [63:0]             m_axi_araddr,
    output logic [7:0]              m_axi_arlen,
    output logic [2:0]              m_axi_arsize,
    output logic [1:0]              m_axi_arburst,
    input  logic                    m_axi_rvalid,
    output logic                    m_axi_rready,
    input  logic [ID_WIDTH-1:0]     m_axi_rid,
    input  logic [DATA_WIDTH-1:0]   m_axi_rdata,
    input  logic [1:0]              m_axi_rresp,
    input  logic                    m_axi_rlast,
    output logic                    m_axi_awvalid,
    input  logic                    m_axi_awready,
    output logic [ID_WIDTH-1:0]     m_axi_awid,
    output logic [63:0]             m_axi_awaddr,
    output logic [7:0]              m_axi_awlen,
    output logic [2:0]              m_axi_awsize,
    output logic [1:0]              m_axi_awburst,
    output logic                    m_axi_wvalid,
    input  logic                    m_axi_wready,
    output logic [DATA_WIDTH-1:0]   m_axi_wdata,
    output logic [DATA_WIDTH/8-1:0] m_axi_wstrb,
    output logic                    m_axi_wlast,
    input  logic                    m_axi_bvalid,
    output logic                    m_axi_bready,
    input  logic [ID_WIDTH-1:0]     m_axi_bid,
    input  logic [1:0]              m_axi_bresp
);
  localparam int unsigned G = GATEWAYS;
  logic [G-1:0] arvalid, arready, rvalid, rready, awvalid, awready, wvalid, wready, wlast, bvalid, bready;
  logic [G-1:0][63:0] araddr, awaddr;
  logic [G-1:0][7:0] arlen, awlen;
  logic [G-1:0][DATA_WIDTH-1:0] wdata;
  logic [G-1:0][DATA_WIDTH/8-1:0] wstrb;
  logic [DATA_WIDTH-1:0] rdata;
  logic [1:0] rresp, bresp;
  logic rlast;

  for (genvar i = 0; i < G; i++) begin : g
    logic send_tvalid, send_tready, sent_tvalid, sent_tready, room_tvalid, room_tready, stored_tvalid, stored_tready;
    logic [$bits(send_t)-1:0] send_tdata;
    logic [$bits(room_t)-1:0] room_tdata;
    logic [$bits(event_t)-1:0] sent_tdata, stored_tdata;
    logic late;
    logic [31:0] looped, dropped;
    logic m_axis_tvalid, m_axis_tready, m_axis_tlast, s_axis_tvalid, s_axis_tready, s_axis_tlast;
    logic [DATA_WIDTH-1:0] m_axis_tdata, s_axis_tdata;
    logic [DATA_WIDTH/8-1:0] m_axis_tkeep, s_axis_tkeep;

    lig_gateway #(
        .DATA_WIDTH(DATA_WIDTH), .BURST_BEATS(BURST_BEATS), .DEPTH(DEPTH), .OUTSTANDING(OUTSTANDING),
        .QUEUE(QUEUE), .TIMEOUT(TIMEOUT)) dut (
        .clk_i, .rst_i, .recall_i, .topic_i(8'(7 + i)),
        .send_valid_i(send_tvalid), .send_ready_o(send_tready), .send_i(send_tdata),
        .sent_valid_o(sent_tvalid), .sent_ready_i(sent_tready), .sent_o(sent_tdata), .late_o(late),
        .m_axis_tvalid, .m_axis_tready, .m_axis_tdata, .m_axis_tkeep, .m_axis_tlast,
        .s_axis_tvalid, .s_axis_tready, .s_axis_tdata, .s_axis_tkeep, .s_axis_tlast,
        .room_valid_i(room_tvalid), .room_ready_o(room_tready), .room_i(room_tdata),
        .stored_valid_o(stored_tvalid), .stored_ready_i(stored_tready), .stored_o(stored_tdata),
        .looped_o(looped), .dropped_o(dropped),
        .m_axi_arvalid(arvalid[i]), .m_axi_arready(arready[i]), .m_axi_araddr(araddr[i]), .m_axi_arlen(arlen[i]),
        .m_axi_rvalid(rvalid[i]), .m_axi_rready(rready[i]), .m_axi_rdata(rdata), .m_axi_rresp(rresp),
        .m_axi_rlast(rlast),
        .m_axi_awvalid(awvalid[i]), .m_axi_awready(awready[i]), .m_axi_awaddr(awaddr[i]), .m_axi_awlen(awlen[i]),
        .m_axi_wvalid(wvalid[i]), .m_axi_wready(wready[i]), .m_axi_wdata(wdata[i]), .m_axi_wstrb(wstrb[i]),
        .m_axi_wlast(wlast[i]),
        .m_axi_bvalid(bvalid[i]), .m_axi_bready(bready[i]), .m_axi_bresp(bresp));

    lig_axis_rules #(.DATA_WIDTH(DATA_WIDTH)) rules_m (
        .clk_i, .rst_i, .tvalid(m_axis_tvalid), .tready(m_axis_tready), .tdata(m_axis_tdata),
        .tkeep(m_axis_tkeep), .tlast(m_axis_tlast));
    lig_axis_rules #(.DATA_WIDTH($bits(event_t)), .KEEP_WIDTH(1), .WHOLE(0)) rules_sent (
        .clk_i, .rst_i, .tvalid(sent_tvalid), .tready(sent_tready), .tdata(sent_tdata), .tkeep(1'b1), .tlast(1'b1));
    lig_axis_rules #(.DATA_WIDTH($bits(event_t)), .KEEP_WIDTH(1), .WHOLE(0)) rules_stored (
        .clk_i, .rst_i, .tvalid(stored_tvalid), .tready(stored_tready), .tdata(stored_tdata), .tkeep(1'b1),
        .tlast(1'b1));
  end

  lig_axi_mux #(.DATA_WIDTH(DATA_WIDTH), .MASTERS(G), .PENDING(4)) port (
      .clk_i, .rst_i,
      .s_axi_arvalid(arvalid), .s_axi_arready(arready), .s_axi_araddr(araddr), .s_axi_arlen(arlen),
      .s_axi_rvalid(rvalid), .s_axi_rready(rready), .s_axi_rdata(rdata), .s_axi_rresp(rresp), .s_axi_rlast(rlast),
      .s_axi_awvalid(awvalid), .s_axi_awready(awready), .s_axi_awaddr(awaddr), .s_axi_awlen(awlen),
      .s_axi_wvalid(wvalid), .s_axi_wready(wready), .s_axi_wdata(wdata), .s_axi_wstrb(wstrb), .s_axi_wlast(wlast),
      .s_axi_bvalid(bvalid), .s_axi_bready(bready), .s_axi_bresp(bresp),
      .m_axi_arvalid, .m_axi_arready, .m_axi_arid, .m_axi_araddr, .m_axi_arlen,
      .m_axi_rvalid, .m_axi_rready, .m_axi_rid, .m_axi_rdata, .m_axi_rresp, .m_axi_rlast,
      .m_axi_awvalid, .m_axi_awready, .m_axi_awid, .m_axi_awaddr, .m_axi_awlen,
      .m_axi_wvalid, .m_axi_wready, .m_axi_wdata, .m_axi_wstrb, .m_axi_wlast,
      .m_axi_bvalid, .m_axi_bready, .m_axi_bid, .m_axi_bresp);
  assign m_axi_arsize = 3'($clog2(DATA_WIDTH / 8));
  assign m_axi_awsize = 3'($clog2(DATA_WIDTH / 8));
  assign m_axi_arburst = 2'b01;
  assign m_axi_awburst = 2'b01;

  lig_port_stats stats (
      .clk_i, .rst_i, .clear_i(1'b0),
      .arvalid(m_axi_arvalid), .arready(m_axi_arready), .rvalid(m_axi_rvalid), .rready(m_axi_rready),
      .rlast(m_axi_rlast), .awvalid(m_axi_awvalid), .awready(m_axi_awready), .wvalid(m_axi_wvalid),
      .wready(m_axi_wready), .bvalid(m_axi_bvalid), .bready(m_axi_bready), .busy_o, .reads_o, .writes_o);
endmodule
