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
    parameter int unsigned PENDING = 16      // writes announced whose data are not out; a power of two, 2 or more
) (
    input logic clk_i,
    input logic rst_i, // synchronous, high

    lig_axi_if.subordinate s_axi[MASTERS],
    lig_axi_if.manager m_axi
);
  if (DATA_WIDTH < 8 || DATA_WIDTH > 512 || DATA_WIDTH % 8 != 0) begin : g_rule_data_width
    $fatal(1, "lig_axi_mux: rule data_width: DATA_WIDTH = %0d, a multiple of 8 in 8..512 is needed", DATA_WIDTH);
  end
  if (MASTERS < 1 || MASTERS > 64) begin : g_rule_masters
    $fatal(1, "lig_axi_mux: rule masters: MASTERS = %0d, 1..64 is needed", MASTERS);
  end

  // --- the masters' signals side by side ------------------------------------------------------------------

  logic [MASTERS-1:0] arvalid, arready, rready, awvalid, awready, wvalid, wready, wlast, bready;
  logic [MASTERS-1:0][63:0] araddr, awaddr;
  // A length goes where frames have their lanes, and a bit besides, as it is none: simulators handle words of more than
  // 64 bits slowly.
  logic [MASTERS-1:0][8:0] arlen, awlen;
  logic [MASTERS-1:0][DATA_WIDTH-1:0] wdata;
  logic [MASTERS-1:0][DATA_WIDTH/8-1:0] wstrb;
  for (genvar i = 0; i < MASTERS; i++) begin : g_masters
    assign arvalid[i] = s_axi[i].arvalid;
    assign araddr[i] = s_axi[i].araddr;
    assign arlen[i] = {1'b0, s_axi[i].arlen};
    assign rready[i] = s_axi[i].rready;
    assign awvalid[i] = s_axi[i].awvalid;
    assign awaddr[i] = s_axi[i].awaddr;
    assign awlen[i] = {1'b0, s_axi[i].awlen};
    assign wvalid[i] = s_axi[i].wvalid;
    assign wdata[i] = s_axi[i].wdata;
    assign wstrb[i] = s_axi[i].wstrb;
    assign wlast[i] = s_axi[i].wlast;
    assign bready[i] = s_axi[i].bready;
    assign s_axi[i].arready = arready[i];
    assign s_axi[i].awready = awready[i];
    assign s_axi[i].wready = wready[i];
  end

  // --- announcements: frames of one beat ------------------------------------------------------------------

  // Most of the time nobody asks for anything and nobody writes.
  logic clk, aw_valid, order_ready, order_valid, order_pop;
  logic [$clog2(PENDING):0] order_level;
  lig_gate gate (
      .clk_i, .rst_i,
      .wake_i(arvalid != '0 || awvalid != '0 || m_axi.arvalid || aw_valid || order_valid || order_level != '0),
      .clk_o(clk));

  logic unused_ar_keep, unused_ar_last, unused_aw_keep, unused_aw_last;
  lig_arbiter #(.DATA_WIDTH(64), .KEEP_WIDTH(9), .INPUTS(MASTERS)) reads (
      .clk_i(clk), .rst_i,
      .s_axis_tvalid(arvalid), .s_axis_tready(arready), .s_axis_tdata(araddr),
      .s_axis_tkeep(arlen), .s_axis_tlast('1),
      .m_axis_tvalid(m_axi.arvalid), .m_axis_tready(m_axi.arready), .m_axis_tdata(m_axi.araddr),
      .m_axis_tkeep({unused_ar_keep, m_axi.arlen}), .m_axis_tlast(unused_ar_last), .m_axis_tid(m_axi.arid));

  lig_arbiter #(.DATA_WIDTH(64), .KEEP_WIDTH(9), .INPUTS(MASTERS)) writes (
      .clk_i(clk), .rst_i,
      .s_axis_tvalid(awvalid), .s_axis_tready(awready), .s_axis_tdata(awaddr),
      .s_axis_tkeep(awlen), .s_axis_tlast('1),
      .m_axis_tvalid(aw_valid), .m_axis_tready(m_axi.awready && order_ready), .m_axis_tdata(m_axi.awaddr),
      .m_axis_tkeep({unused_aw_keep, m_axi.awlen}), .m_axis_tlast(unused_aw_last), .m_axis_tid(m_axi.awid));
  // order_ready rises and stays until something is put in, so this does not fall before awready.
  assign m_axi.awvalid = aw_valid && order_ready;

  // --- write data, in the order of announcements ----------------------------------------------------------

  logic [7:0] order;
  logic unused_order_keep, unused_order_last;
  lig_fifo #(.DATA_WIDTH(8), .KEEP_WIDTH(1), .DEPTH(PENDING)) orders (
      .clk_i(clk), .rst_i,
      .s_axis_tvalid(m_axi.awvalid && m_axi.awready), .s_axis_tready(order_ready),
      .s_axis_tdata(8'(m_axi.awid)), .s_axis_tkeep(1'b1), .s_axis_tlast(1'b1),
      .m_axis_tvalid(order_valid), .m_axis_tready(order_pop), .m_axis_tdata(order),
      .m_axis_tkeep(unused_order_keep), .m_axis_tlast(unused_order_last), .level_o(order_level));
  assign order_pop = m_axi.wvalid && m_axi.wready && m_axi.wlast;

  always_comb begin
    m_axi.wvalid = 1'b0;
    m_axi.wdata = '0;
    m_axi.wstrb = '0;
    m_axi.wlast = 1'b0;
    for (int unsigned i = 0; i < MASTERS; i++) begin
      if (order == 8'(i)) begin
        m_axi.wvalid = order_valid && wvalid[i];
        m_axi.wdata = wdata[i];
        m_axi.wstrb = wstrb[i];
        m_axi.wlast = wlast[i];
      end
    end
  end
  // Apart from what goes out: this depends on the port's inputs, of which simulators compute all twice.
  always_comb begin
    for (int unsigned i = 0; i < MASTERS; i++) wready[i] = order == 8'(i) && order_valid && m_axi.wready;
  end

  // --- answers: to all, and whose it is -----------------------------------------------------------------

  logic [MASTERS-1:0] to_reader, to_writer;
  assign to_reader = MASTERS'(1) << m_axi.rid;
  assign to_writer = MASTERS'(1) << m_axi.bid;
  for (genvar i = 0; i < MASTERS; i++) begin : g_answers
    assign s_axi[i].rvalid = to_reader[i] && m_axi.rvalid;
    assign s_axi[i].rid = '0;
    assign s_axi[i].rdata = m_axi.rdata;
    assign s_axi[i].rresp = m_axi.rresp;
    assign s_axi[i].rlast = m_axi.rlast;
    assign s_axi[i].bvalid = to_writer[i] && m_axi.bvalid;
    assign s_axi[i].bid = '0;
    assign s_axi[i].bresp = m_axi.bresp;
  end
  assign m_axi.rready = |(to_reader & rready);
  assign m_axi.bready = |(to_writer & bready);
endmodule
