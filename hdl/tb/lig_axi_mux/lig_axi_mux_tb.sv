// SPDX-License-Identifier: Apache-2.0
//
// MASTERS copiers on one memory port: a lig_axi_read into a lig_axi_write. Each in a scope of its own, c[i]: a word
// `from` says {beats, address} of a piece to read, `to` the same of one to write, `done` whether memory had an
// error while writing. Beats that memory read with an error are counted.
// verilator lint_off UNDRIVEN
// verilator lint_off UNUSEDSIGNAL
// The far ends are driven and read by the bench.
module lig_axi_mux_tb #(
    parameter int unsigned DATA_WIDTH = 64,
    parameter int unsigned MASTERS = 2,
    parameter int unsigned BURST_BEATS = 16,
    parameter int unsigned DEPTH = 64,
    parameter int unsigned OUTSTANDING = 4,
    parameter int unsigned PENDING = 4,
    parameter int unsigned ID_WIDTH = MASTERS > 1 ? $clog2(MASTERS) : 1
) (
    input logic clk_i,
    input logic rst_i,
    input logic clear_i,
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
  localparam int unsigned M = MASTERS;
  logic [M-1:0] arvalid, arready, rvalid, rready, awvalid, awready, wvalid, wready, wlast, bvalid, bready;
  logic [M-1:0][63:0] araddr, awaddr;
  logic [M-1:0][7:0] arlen, awlen;
  logic [M-1:0][DATA_WIDTH-1:0] wdata;
  logic [M-1:0][DATA_WIDTH/8-1:0] wstrb;
  logic [DATA_WIDTH-1:0] rdata;
  logic [1:0] rresp, bresp;
  logic rlast;

  for (genvar i = 0; i < M; i++) begin : c
    logic from_tvalid, from_tready, to_tvalid, to_tready, done_tvalid, done_tready;
    logic [95:0] from_tdata, to_tdata;
    logic [7:0] done_tdata;
    logic [31:0] errors, left;
    logic valid, ready, error;
    logic [DATA_WIDTH-1:0] data;
    assign done_tdata[7:1] = '0;

    always_ff @(posedge clk_i) begin
      if (to_tvalid && to_tready) left <= to_tdata[95:64];
      else if (valid && ready) left <= left - 1'b1;
      if (valid && ready && error) errors <= errors + 1'b1;
      if (rst_i) errors <= '0;
    end

    logic reads, writes;
    lig_axi_read #(
        .DATA_WIDTH(DATA_WIDTH), .BURST_BEATS(BURST_BEATS), .DEPTH(DEPTH), .OUTSTANDING(OUTSTANDING)) reader (
        .clk_i, .rst_i, .command_valid_i(from_tvalid), .command_ready_o(from_tready),
        .command_address_i(from_tdata[63:0]), .command_beats_i(from_tdata[95:64]),
        .valid_o(valid), .ready_i(ready), .data_o(data), .error_o(error), .moves_o(reads),
        .m_axi_arvalid(arvalid[i]), .m_axi_arready(arready[i]), .m_axi_araddr(araddr[i]), .m_axi_arlen(arlen[i]),
        .m_axi_rvalid(rvalid[i]), .m_axi_rready(rready[i]), .m_axi_rdata(rdata), .m_axi_rresp(rresp),
        .m_axi_rlast(rlast));
    lig_axi_write #(
        .DATA_WIDTH(DATA_WIDTH), .BURST_BEATS(BURST_BEATS), .DEPTH(DEPTH), .OUTSTANDING(OUTSTANDING)) writer (
        .clk_i, .rst_i, .command_valid_i(to_tvalid), .command_ready_o(to_tready), .command_address_i(to_tdata[63:0]),
        .valid_i(valid), .ready_o(ready), .data_i(data), .strobe_i('1), .last_i(left == 32'd1),
        .done_valid_o(done_tvalid), .done_ready_i(done_tready), .done_error_o(done_tdata[0]), .moves_o(writes),
        .m_axi_awvalid(awvalid[i]), .m_axi_awready(awready[i]), .m_axi_awaddr(awaddr[i]), .m_axi_awlen(awlen[i]),
        .m_axi_wvalid(wvalid[i]), .m_axi_wready(wready[i]), .m_axi_wdata(wdata[i]), .m_axi_wstrb(wstrb[i]),
        .m_axi_wlast(wlast[i]),
        .m_axi_bvalid(bvalid[i]), .m_axi_bready(bready[i]), .m_axi_bresp(bresp));
  end

  lig_axi_mux #(.DATA_WIDTH(DATA_WIDTH), .MASTERS(M), .PENDING(PENDING)) dut (
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
      .clk_i, .rst_i, .clear_i,
      .arvalid(m_axi_arvalid), .arready(m_axi_arready), .rvalid(m_axi_rvalid), .rready(m_axi_rready),
      .rlast(m_axi_rlast), .awvalid(m_axi_awvalid), .awready(m_axi_awready), .wvalid(m_axi_wvalid),
      .wready(m_axi_wready), .bvalid(m_axi_bvalid), .bready(m_axi_bready), .busy_o, .reads_o, .writes_o);
endmodule
