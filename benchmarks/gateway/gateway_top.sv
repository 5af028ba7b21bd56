// SPDX-License-Identifier: Apache-2.0
//
// One publishing and SUBSCRIBERS subscribing cores on one memory port, in two ways:
//
//   GATEWAY = 0  a software-mapped topic: each core has an end of its own in memory
//   GATEWAY = 1  a hardware-mapped topic between the cores, and a gateway
//
// The ends are the same modules. BURST_BEATS = 0 is the published design: one request at a time of 32 words, no queue
// behind the topic's broadcast. READ_WORDS: how many words its gateway asks for at a time.
//
// The driver changes tick_i once per cycle, as in benchmarks/hmt.
module gateway_top
  import lig_transfer_pkg::*;
#(
    parameter int unsigned DATA_WIDTH = 64,
    parameter int unsigned SUBSCRIBERS = 2,
    parameter bit GATEWAY = 1'b0,
    parameter int unsigned BURST_BEATS = 16,
    parameter int unsigned READ_WORDS = 32,                            // with BURST_BEATS = 0
    parameter int unsigned ENDS = GATEWAY ? 1 : SUBSCRIBERS,           // of sends; follows
    parameter int unsigned MASTERS = GATEWAY ? 1 : SUBSCRIBERS + 1,    // follows
    parameter int unsigned ID_WIDTH = MASTERS > 1 ? $clog2(MASTERS) : 1
) (
    input logic tick_i,  // changes once per cycle
    input logic rst_i,

    input logic s_axis_tvalid, s_axis_tlast, input logic [DATA_WIDTH-1:0] s_axis_tdata,
    input logic [DATA_WIDTH/8-1:0] s_axis_tkeep,
    output logic taken_o,  // the last edge took a beat

    output logic [SUBSCRIBERS-1:0] m_axis_tvalid, m_axis_tlast,
    output logic [SUBSCRIBERS-1:0][DATA_WIDTH-1:0] m_axis_tdata,
    output logic [SUBSCRIBERS-1:0][DATA_WIDTH/8-1:0] m_axis_tkeep,

    input logic [ENDS-1:0] send_valid_i, input logic [ENDS-1:0][207:0] send_i, output logic [ENDS-1:0] send_ready_o,
    output logic [ENDS-1:0] sent_valid_o, output logic [ENDS-1:0][7:0] sent_status_o,
    input logic room_valid_i, input logic [111:0] room_i, output logic room_ready_o,
    output logic stored_valid_o, output logic [7:0] stored_status_o,

    output logic m_axi_arvalid, output logic [ID_WIDTH-1:0] m_axi_arid, output logic [63:0] m_axi_araddr,
    output logic [7:0] m_axi_arlen, input logic m_axi_arready,
    input logic m_axi_rvalid, m_axi_rlast, input logic [ID_WIDTH-1:0] m_axi_rid,
    input logic [DATA_WIDTH-1:0] m_axi_rdata, output logic m_axi_rready,
    output logic m_axi_awvalid, output logic [ID_WIDTH-1:0] m_axi_awid, output logic [63:0] m_axi_awaddr,
    output logic [7:0] m_axi_awlen, input logic m_axi_awready,
    output logic m_axi_wvalid, m_axi_wlast, output logic [DATA_WIDTH-1:0] m_axi_wdata,
    output logic [DATA_WIDTH/8-1:0] m_axi_wstrb, input logic m_axi_wready,
    input logic m_axi_bvalid, input logic [ID_WIDTH-1:0] m_axi_bid, output logic m_axi_bready,

    output logic [47:0] busy_o, reads_o, writes_o
);
  localparam bit Published = BURST_BEATS == 0;
  localparam int unsigned WriteBurst = Published ? 32 : BURST_BEATS;
  localparam int unsigned ReadBurst = !Published ? BURST_BEATS : GATEWAY ? READ_WORDS : 32;
  localparam int unsigned ReadOutstanding = Published ? 1 : 32;
  localparam int unsigned Depth = 512;

  logic clk, tick_q;
  assign clk = tick_i != tick_q;
  logic s_axis_tready;
  always_ff @(posedge clk) begin
    tick_q <= tick_i;
    taken_o <= s_axis_tvalid && s_axis_tready;
  end

  lig_axis_if #(.DATA_WIDTH(DATA_WIDTH)) s_axis (), m_axis[SUBSCRIBERS] ();
  assign {s_axis.tvalid, s_axis.tdata, s_axis.tkeep, s_axis.tlast} = {
      s_axis_tvalid, s_axis_tdata, s_axis_tkeep, s_axis_tlast};
  assign s_axis_tready = s_axis.tready;
  for (genvar i = 0; i < SUBSCRIBERS; i++) begin : g_flat
    assign {m_axis_tvalid[i], m_axis_tdata[i], m_axis_tkeep[i], m_axis_tlast[i]} = {
        m_axis[i].tvalid, m_axis[i].tdata, m_axis[i].tkeep, m_axis[i].tlast};
    assign m_axis[i].tready = 1'b1;
  end

  localparam int unsigned M = MASTERS;
  lig_axi_if #(.DATA_WIDTH(DATA_WIDTH)) each[M] ();
  lig_axi_if #(.DATA_WIDTH(DATA_WIDTH), .ID_WIDTH(ID_WIDTH)) m_axi ();
  // The edge, where the driver finds its signals.
  assign {m_axi_arvalid, m_axi_arid, m_axi_araddr, m_axi_arlen} = {
      m_axi.arvalid, m_axi.arid, m_axi.araddr, m_axi.arlen};
  assign m_axi_rready = m_axi.rready;
  assign {m_axi_awvalid, m_axi_awid, m_axi_awaddr, m_axi_awlen} = {
      m_axi.awvalid, m_axi.awid, m_axi.awaddr, m_axi.awlen};
  assign {m_axi_wvalid, m_axi_wdata, m_axi_wstrb, m_axi_wlast} = {m_axi.wvalid, m_axi.wdata, m_axi.wstrb, m_axi.wlast};
  assign m_axi_bready = m_axi.bready;
  assign m_axi.arready = m_axi_arready;
  assign m_axi.rvalid = m_axi_rvalid;
  assign m_axi.rid = m_axi_rid;
  assign m_axi.rdata = m_axi_rdata;
  assign m_axi.rlast = m_axi_rlast;
  assign m_axi.awready = m_axi_awready;
  assign m_axi.wready = m_axi_wready;
  assign m_axi.bvalid = m_axi_bvalid;
  assign m_axi.bid = m_axi_bid;
  assign m_axi.rresp = '0;
  assign m_axi.bresp = '0;

  event_t [ENDS-1:0] sent;
  event_t stored;
  for (genvar i = 0; i < ENDS; i++) begin : g_status
    assign sent_status_o[i] = sent[i].status;
    logic unused_event;
    assign unused_event = ^{sent[i].tag, sent[i].header};
  end
  assign stored_status_o = stored.status;
  logic unused_stored;
  assign unused_stored = ^{stored.tag, stored.header};
  logic [31:0] unused_looped, unused_dropped;

  if (GATEWAY) begin : g_gateway
    logic unused_late;
    lig_axis_if #(.DATA_WIDTH(DATA_WIDTH)) in[2] (), out[SUBSCRIBERS+1] ();
    lig_axis_wire from_core (.s_axis, .m_axis(in[0]));
    for (genvar i = 0; i < SUBSCRIBERS; i++) begin : g_to_core
      lig_axis_wire to_core (.s_axis(out[i]), .m_axis(m_axis[i]));
    end

    localparam bit [31:0] QueueDepth = Published ? 32'd2 : 32'd512;
    // verilator lint_off PINMISSING
    // Nobody reads what the topic counts.
    lig_topic #(
        .DATA_WIDTH(DATA_WIDTH), .PUBLISHERS(2), .SUBSCRIBERS(SUBSCRIBERS + 1), .STATS(0),
        .DEPTH({(SUBSCRIBERS + 1) {QueueDepth}})) topic (
        .clk_i(clk), .rst_i, .s_axis(in), .m_axis(out));
    // verilator lint_on PINMISSING

    lig_smt_sub #(
        .DATA_WIDTH(DATA_WIDTH), .BURST_BEATS(ReadBurst), .DEPTH(Depth), .OUTSTANDING(ReadOutstanding),
        .FILTER(1)) to_hardware (
        .clk_i(clk), .rst_i, .recall_i(1'b0),
        .send_valid_i(send_valid_i[0]), .send_ready_o(send_ready_o[0]), .send_i(send_i[0]),
        .event_valid_o(sent_valid_o[0]), .event_ready_i(1'b1), .event_o(sent[0]), .late_o(unused_late),
        .m_axis(in[1]),
        .m_axi(each[0]));
    lig_smt_pub #(
        .DATA_WIDTH(DATA_WIDTH), .BURST_BEATS(WriteBurst), .DEPTH(Depth), .FILTER(1)) to_software (
        .clk_i(clk), .rst_i, .recall_i(1'b0), .topic_i(8'd7),
        .s_axis(out[SUBSCRIBERS]),
        .room_valid_i, .room_ready_o, .room_i,
        .event_valid_o(stored_valid_o), .event_ready_i(1'b1), .event_o(stored),
        .looped_o(unused_looped), .dropped_o(unused_dropped),
        .m_axi(each[0]));

  end else begin : g_smt
    for (genvar i = 0; i < SUBSCRIBERS; i++) begin : g_sub
      logic unused_late;
      lig_smt_sub #(
          .DATA_WIDTH(DATA_WIDTH), .BURST_BEATS(ReadBurst), .DEPTH(Depth), .OUTSTANDING(ReadOutstanding)) sub (
          .clk_i(clk), .rst_i, .recall_i(1'b0),
          .send_valid_i(send_valid_i[i]), .send_ready_o(send_ready_o[i]), .send_i(send_i[i]),
          .event_valid_o(sent_valid_o[i]), .event_ready_i(1'b1), .event_o(sent[i]), .late_o(unused_late),
          .m_axis(m_axis[i]),
        .m_axi(each[i]));
      lig_axi_no_write no_write (.m_axi(each[i]));
    end
    localparam int unsigned P = SUBSCRIBERS;
    lig_smt_pub #(.DATA_WIDTH(DATA_WIDTH), .BURST_BEATS(WriteBurst), .DEPTH(Depth)) pub (
        .clk_i(clk), .rst_i, .recall_i(1'b0), .topic_i(8'd7),
        .s_axis,
        .room_valid_i, .room_ready_o, .room_i,
        .event_valid_o(stored_valid_o), .event_ready_i(1'b1), .event_o(stored),
        .looped_o(unused_looped), .dropped_o(unused_dropped),
        .m_axi(each[P]));
    lig_axi_no_read no_read (.m_axi(each[P]));
  end

  lig_axi_mux #(.DATA_WIDTH(DATA_WIDTH), .MASTERS(M)) port (
      .clk_i(clk), .rst_i, .s_axi(each), .m_axi);
  lig_port_stats stats (.clk_i(clk), .rst_i, .clear_i(1'b0), .axi(m_axi), .busy_o, .reads_o, .writes_o);
endmodule
