// SPDX-License-Identifier: Apache-2.0
//
// lig_axi_mux: several masters of one clock and width share a memory port.
//
// Round robin over bursts, separately for reads and writes. The id on the port is the master's number, by which
// answers find back; memory may answer different masters in any order. Write data follow in the order of their
// announcements. Masters have one id each, and only INCR bursts of whole beats; size, burst type, cache and
// protection are constants that the port's wrapper adds. No answer waits in here: a master that lets its answers
// wait holds up the port (lig_axi_read and lig_axi_write do not).
//
//   latency              1 cycle for announcements, 3 to the first write data, 0 for answers
//   initiation interval  1
//   storage              1 announcement per direction, PENDING numbers
module lig_axi_mux #(
    parameter int unsigned DATA_WIDTH = 64,  // bits; a multiple of 8
    parameter int unsigned MASTERS = 2,      // 1..64
    parameter int unsigned PENDING = 16,     // writes announced whose data are not out; a power of two, 2 or more
    parameter int unsigned ID_WIDTH = MASTERS > 1 ? $clog2(MASTERS) : 1  // follows from MASTERS
) (
    input logic clk_i,
    input logic rst_i, // synchronous, high

    input  logic [MASTERS-1:0]                   s_axi_arvalid,
    output logic [MASTERS-1:0]                   s_axi_arready,
    input  logic [MASTERS-1:0][63:0]             s_axi_araddr,
    input  logic [MASTERS-1:0][7:0]              s_axi_arlen,
    output logic [MASTERS-1:0]                   s_axi_rvalid,
    input  logic [MASTERS-1:0]                   s_axi_rready,
    output logic [DATA_WIDTH-1:0]                s_axi_rdata,  // one for all
    output logic [1:0]                           s_axi_rresp,
    output logic                                 s_axi_rlast,
    input  logic [MASTERS-1:0]                   s_axi_awvalid,
    output logic [MASTERS-1:0]                   s_axi_awready,
    input  logic [MASTERS-1:0][63:0]             s_axi_awaddr,
    input  logic [MASTERS-1:0][7:0]              s_axi_awlen,
    input  logic [MASTERS-1:0]                   s_axi_wvalid,
    output logic [MASTERS-1:0]                   s_axi_wready,
    input  logic [MASTERS-1:0][DATA_WIDTH-1:0]   s_axi_wdata,
    input  logic [MASTERS-1:0][DATA_WIDTH/8-1:0] s_axi_wstrb,
    input  logic [MASTERS-1:0]                   s_axi_wlast,
    output logic [MASTERS-1:0]                   s_axi_bvalid,
    input  logic [MASTERS-1:0]                   s_axi_bready,
    output logic [1:0]                           s_axi_bresp,  // one for all

    output logic                    m_axi_arvalid,
    input  logic                    m_axi_arready,
    output logic [ID_WIDTH-1:0]     m_axi_arid,
    output logic [63:0]             m_axi_araddr,
    output logic [7:0]              m_axi_arlen,
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
  if (DATA_WIDTH < 8 || DATA_WIDTH > 512 || DATA_WIDTH % 8 != 0) begin : g_rule_data_width
    $fatal(1, "lig_axi_mux: rule data_width: DATA_WIDTH = %0d, a multiple of 8 in 8..512 is needed", DATA_WIDTH);
  end
  if (MASTERS < 1 || MASTERS > 64) begin : g_rule_masters
    $fatal(1, "lig_axi_mux: rule masters: MASTERS = %0d, 1..64 is needed", MASTERS);
  end

  // --- announcements: frames of one beat ------------------------------------------------------------------

  // Most of the time nobody asks for anything and nobody writes.
  logic clk, aw_valid, order_ready, order_valid, order_pop;
  logic [$clog2(PENDING):0] order_level;
  lig_gate gate (
      .clk_i, .rst_i,
      .wake_i(s_axi_arvalid != '0 || s_axi_awvalid != '0 || m_axi_arvalid || aw_valid || order_valid || order_level != '0),
      .clk_o(clk));

  // A length goes where frames have their lanes, and a bit besides, as it is none: simulators handle words of more than
  // 64 bits slowly.
  logic [MASTERS-1:0][8:0] ar_length, aw_length;
  for (genvar i = 0; i < MASTERS; i++) begin : g_lengths
    assign ar_length[i] = {1'b0, s_axi_arlen[i]};
    assign aw_length[i] = {1'b0, s_axi_awlen[i]};
  end

  logic unused_ar_keep, unused_ar_last, unused_aw_keep, unused_aw_last;
  lig_arbiter #(.DATA_WIDTH(64), .KEEP_WIDTH(9), .INPUTS(MASTERS)) reads (
      .clk_i(clk), .rst_i,
      .s_axis_tvalid(s_axi_arvalid), .s_axis_tready(s_axi_arready), .s_axis_tdata(s_axi_araddr),
      .s_axis_tkeep(ar_length), .s_axis_tlast('1),
      .m_axis_tvalid(m_axi_arvalid), .m_axis_tready(m_axi_arready), .m_axis_tdata(m_axi_araddr),
      .m_axis_tkeep({unused_ar_keep, m_axi_arlen}), .m_axis_tlast(unused_ar_last), .m_axis_tid(m_axi_arid));

  lig_arbiter #(.DATA_WIDTH(64), .KEEP_WIDTH(9), .INPUTS(MASTERS)) writes (
      .clk_i(clk), .rst_i,
      .s_axis_tvalid(s_axi_awvalid), .s_axis_tready(s_axi_awready), .s_axis_tdata(s_axi_awaddr),
      .s_axis_tkeep(aw_length), .s_axis_tlast('1),
      .m_axis_tvalid(aw_valid), .m_axis_tready(m_axi_awready && order_ready), .m_axis_tdata(m_axi_awaddr),
      .m_axis_tkeep({unused_aw_keep, m_axi_awlen}), .m_axis_tlast(unused_aw_last), .m_axis_tid(m_axi_awid));
  // order_ready rises and stays until something is put in, so this does not fall before awready.
  assign m_axi_awvalid = aw_valid && order_ready;

  // --- write data, in the order of announcements ----------------------------------------------------------

  logic [7:0] order;
  logic unused_order_keep, unused_order_last;
  lig_fifo #(.DATA_WIDTH(8), .KEEP_WIDTH(1), .DEPTH(PENDING)) orders (
      .clk_i(clk), .rst_i,
      .s_axis_tvalid(m_axi_awvalid && m_axi_awready), .s_axis_tready(order_ready),
      .s_axis_tdata(8'(m_axi_awid)), .s_axis_tkeep(1'b1), .s_axis_tlast(1'b1),
      .m_axis_tvalid(order_valid), .m_axis_tready(order_pop), .m_axis_tdata(order),
      .m_axis_tkeep(unused_order_keep), .m_axis_tlast(unused_order_last), .level_o(order_level));
  assign order_pop = m_axi_wvalid && m_axi_wready && m_axi_wlast;

  always_comb begin
    m_axi_wvalid = 1'b0;
    m_axi_wdata = '0;
    m_axi_wstrb = '0;
    m_axi_wlast = 1'b0;
    for (int unsigned i = 0; i < MASTERS; i++) begin
      if (order == 8'(i)) begin
        m_axi_wvalid = order_valid && s_axi_wvalid[i];
        m_axi_wdata = s_axi_wdata[i];
        m_axi_wstrb = s_axi_wstrb[i];
        m_axi_wlast = s_axi_wlast[i];
      end
    end
  end
  // Apart from what goes out: this depends on the port's inputs, of which simulators compute all twice.
  always_comb begin
    for (int unsigned i = 0; i < MASTERS; i++) s_axi_wready[i] = order == 8'(i) && order_valid && m_axi_wready;
  end

  // --- answers --------------------------------------------------------------------------------------------

  assign s_axi_rdata = m_axi_rdata;
  assign s_axi_rresp = m_axi_rresp;
  assign s_axi_rlast = m_axi_rlast;
  assign s_axi_bresp = m_axi_bresp;
  logic [MASTERS-1:0] to_reader, to_writer;
  assign to_reader = MASTERS'(1) << m_axi_rid;
  assign to_writer = MASTERS'(1) << m_axi_bid;
  assign s_axi_rvalid = to_reader & {MASTERS{m_axi_rvalid}};
  assign s_axi_bvalid = to_writer & {MASTERS{m_axi_bvalid}};
  assign m_axi_rready = |(to_reader & s_axi_rready);
  assign m_axi_bready = |(to_writer & s_axi_bready);
endmodule
