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
    input logic clk_i, rst_i,  // reset: synchronous, high

    lig_axi_if.subordinate s_axi[MASTERS],
    lig_axi_if.manager m_axi
);
  if (DATA_WIDTH < 8 || DATA_WIDTH > 512 || DATA_WIDTH % 8 != 0) begin : g_rule_data_width
    $fatal(1, "lig_axi_mux: rule data_width: DATA_WIDTH = %0d, a multiple of 8 in 8..512 is needed", DATA_WIDTH);
  end
  if (MASTERS < 1 || MASTERS > 64) begin : g_rule_masters
    $fatal(1, "lig_axi_mux: rule masters: MASTERS = %0d, 1..64 is needed", MASTERS);
  end

  // --- announcements: frames of one beat ------------------------------------------------------------------

  // A length goes where frames have their lanes, and a bit besides, as it is none: simulators handle words of more than
  // 64 bits slowly.
  lig_axis_if #(.KEEP_WIDTH(9)) ar[MASTERS] (), aw[MASTERS] ();
  lig_axis_if #(.KEEP_WIDTH(9)) next_ar (), next_aw ();
  logic [MASTERS-1:0] arvalid, awvalid;
  for (genvar i = 0; i < MASTERS; i++) begin : g_announcements
    assign arvalid[i] = s_axi[i].arvalid;
    assign awvalid[i] = s_axi[i].awvalid;
    assign ar[i].tvalid = arvalid[i];
    assign ar[i].tdata = s_axi[i].araddr;
    assign ar[i].tkeep = {1'b0, s_axi[i].arlen};
    assign ar[i].tlast = 1'b1;
    assign s_axi[i].arready = ar[i].tready;
    assign aw[i].tvalid = awvalid[i];
    assign aw[i].tdata = s_axi[i].awaddr;
    assign aw[i].tkeep = {1'b0, s_axi[i].awlen};
    assign aw[i].tlast = 1'b1;
    assign s_axi[i].awready = aw[i].tready;
  end

  // Most of the time nobody asks for anything and nobody writes.
  logic clk, order_ready, order_valid, order_pop;
  logic [$clog2(PENDING):0] order_level;
  lig_gate gate (
      .clk_i, .rst_i,
      .wake_i(arvalid != '0 || awvalid != '0 || next_ar.tvalid || next_aw.tvalid || order_valid || order_level != '0),
      .clk_o(clk));

  lig_arbiter #(.DATA_WIDTH(64), .KEEP_WIDTH(9), .INPUTS(MASTERS)) reads (
      .clk_i(clk), .rst_i, .s_axis(ar), .m_axis(next_ar), .m_axis_tid(m_axi.arid));
  assign m_axi.arvalid = next_ar.tvalid;
  assign m_axi.araddr = next_ar.tdata;
  assign m_axi.arlen = next_ar.tkeep[7:0];
  assign next_ar.tready = m_axi.arready;

  lig_arbiter #(.DATA_WIDTH(64), .KEEP_WIDTH(9), .INPUTS(MASTERS)) writes (
      .clk_i(clk), .rst_i, .s_axis(aw), .m_axis(next_aw), .m_axis_tid(m_axi.awid));
  // order_ready rises and stays until something is put in, so this does not fall before awready.
  assign m_axi.awvalid = next_aw.tvalid && order_ready;
  assign m_axi.awaddr = next_aw.tdata;
  assign m_axi.awlen = next_aw.tkeep[7:0];
  assign next_aw.tready = m_axi.awready && order_ready;

  // --- write data, in the order of announcements ----------------------------------------------------------

  logic [7:0] order;
  lig_queue #(.WIDTH(8), .DEPTH(PENDING)) orders (
      .clk_i(clk), .rst_i, .valid_i(m_axi.awvalid && m_axi.awready), .ready_o(order_ready), .data_i(8'(m_axi.awid)),
      .valid_o(order_valid), .ready_i(order_pop), .data_o(order), .level_o(order_level));
  assign order_pop = m_axi.wvalid && m_axi.wready && m_axi.wlast;

  // The masters' side by side; unpacked, because simulators handle wide words slowly.
  logic [MASTERS-1:0] wvalid, wlast;
  logic [DATA_WIDTH-1:0] wdata[MASTERS];
  logic [DATA_WIDTH/8-1:0] wstrb[MASTERS];
  for (genvar i = 0; i < MASTERS; i++) begin : g_writes
    assign wvalid[i] = s_axi[i].wvalid;
    assign wdata[i] = s_axi[i].wdata;
    assign wstrb[i] = s_axi[i].wstrb;
    assign wlast[i] = s_axi[i].wlast;
    assign s_axi[i].wready = order == 8'(i) && order_valid && m_axi.wready;
  end
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

  // --- answers: to all, and whose it is -----------------------------------------------------------------

  logic [MASTERS-1:0] to_reader, to_writer, rready, bready;
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
    assign rready[i] = s_axi[i].rready;
    assign bready[i] = s_axi[i].bready;
  end
  assign m_axi.rready = |(to_reader & rready);
  assign m_axi.bready = |(to_writer & bready);
endmodule
