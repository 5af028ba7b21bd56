// SPDX-License-Identifier: Apache-2.0
//
// hmt_gateway: lig_gateway with packed ports, to be synthesised alone. Nobody reads them: they are what keeps it
// from being nothing.
module hmt_gateway
  import lig_transfer_pkg::*;
#(
    parameter int unsigned DATA_WIDTH = 64,
    localparam int unsigned Stream = 1 + DATA_WIDTH / 8 * 9,
    localparam int unsigned MemoryOut = 150 + DATA_WIDTH / 8 * 9,
    localparam int unsigned MemoryIn = 10 + DATA_WIDTH
) (
    input logic clk_i,
    input logic rst_i,
    input logic recall_i,
    input logic [7:0] topic_i,

    input  logic [$bits(send_t)+$bits(room_t)+3:0] words_i,
    output logic [2*$bits(event_t)+3:0]            words_o,
    input  logic [Stream:0]                        s_axis_i,
    output logic                                   s_axis_o,
    output logic [Stream:0]                        m_axis_o,
    input  logic                                   m_axis_i,
    output logic [MemoryOut-1:0]                   m_axi_o,
    input  logic [MemoryIn-1:0]                    m_axi_i,
    output logic [64:0]                            counts_o
);
  lig_axis_if #(.DATA_WIDTH(DATA_WIDTH)) s_axis (), m_axis ();
  assign {s_axis.tvalid, s_axis.tlast, s_axis.tkeep, s_axis.tdata} = s_axis_i;
  assign s_axis_o = s_axis.tready;
  assign m_axis_o = {m_axis.tvalid, m_axis.tlast, m_axis.tkeep, m_axis.tdata};
  assign m_axis.tready = m_axis_i;

  lig_axi_if #(.DATA_WIDTH(DATA_WIDTH)) m_axi ();
  assign m_axi_o = {m_axi.arvalid, m_axi.araddr, m_axi.arlen, m_axi.rready, m_axi.awvalid, m_axi.awaddr, m_axi.awlen,
                    m_axi.wvalid, m_axi.wdata, m_axi.wstrb, m_axi.wlast, m_axi.bready};
  assign {m_axi.arready, m_axi.rvalid, m_axi.rdata, m_axi.rresp, m_axi.rlast,
          m_axi.awready, m_axi.wready, m_axi.bvalid, m_axi.bresp} = m_axi_i;
  assign m_axi.rid = '0;
  assign m_axi.bid = '0;

  send_t send;
  room_t room;
  event_t sent, stored;
  logic send_valid, send_ready, room_valid, room_ready, sent_valid, sent_ready, stored_valid, stored_ready;
  assign {send_valid, room_valid, sent_ready, stored_ready, send, room} = words_i;
  assign words_o = {send_ready, room_ready, sent_valid, stored_valid, sent, stored};
  lig_gateway #(.DATA_WIDTH(DATA_WIDTH)) gateway (
      .clk_i, .rst_i, .recall_i, .topic_i,
      .send_valid_i(send_valid), .send_ready_o(send_ready), .send_i(send),
      .sent_valid_o(sent_valid), .sent_ready_i(sent_ready), .sent_o(sent), .late_o(counts_o[64]), .m_axis, .s_axis,
      .room_valid_i(room_valid), .room_ready_o(room_ready), .room_i(room),
      .stored_valid_o(stored_valid), .stored_ready_i(stored_ready), .stored_o(stored),
      .looped_o(counts_o[31:0]), .dropped_o(counts_o[63:32]), .m_axi_read(m_axi), .m_axi_write(m_axi));
endmodule
