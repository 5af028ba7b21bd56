// SPDX-License-Identifier: Apache-2.0
//
// The driving application's graph (the paper's table II) with all seven nodes in hardware, in two ways:
//
//   TOPICS = 0  over memory: every end of every topic is one in memory, on one port
//   TOPICS = 1  topics between the nodes are streams; only the camera and the command are in memory
//
//   camera -> compensation -> A -> blur -> B -> projection -> C -> following -> D -> control -> command
//                             A -> red light -> E -----------------------------------> control
//                             A -> green light -> F ---------------------------------> control
//
// The nodes are the same in both, and empty (hmt_node): what is compared is what stands between them. Queues and
// buffers of ends hold 512 beats. It is synthesised, not simulated.
module hmt_driving
  import lig_transfer_pkg::*;
#(
    parameter bit TOPICS = 1'b0,
    parameter int unsigned DATA_WIDTH = 64,
    parameter int unsigned ENDS = TOPICS ? 1 : 9,  // follows: ends in memory that nodes read; as many may write
    parameter int unsigned ID_WIDTH = ENDS > 1 ? $clog2(ENDS) : 1,
    localparam int unsigned MemoryOut = 150 + 2 * ID_WIDTH + DATA_WIDTH / 8 * 9,
    localparam int unsigned MemoryIn = 10 + 2 * ID_WIDTH + DATA_WIDTH
) (
    input logic clk_i,
    input logic rst_i,

    // Registers and the port on memory, packed: nobody reads them, they are what keeps the design from being nothing.
    input  logic [100:0] s_axil_i,
    output logic [72:0]  s_axil_o,
    output logic        irq_o,

    output logic [MemoryOut-1:0] m_axi_o,
    input  logic [MemoryIn-1:0]  m_axi_i
);
  localparam int unsigned Depth = 512;
  localparam int unsigned Nodes = 7;  // compensation, blur, projection, following, control, red, green
  localparam int unsigned Inputs = 9; // control has three: D, E, F

  // What each input gets, and what each node says.
  lig_axis_if #(.DATA_WIDTH(DATA_WIDTH)) in[Inputs] (), out[Nodes] ();

  // --- the nodes ------------------------------------------------------------------------------------------

  // Inputs in this order: camera, A, B, C of the first four nodes; A of the two lights; D, E, F of control.
  localparam int unsigned Control = 4;
  localparam int unsigned Joined = 6;
  lig_axis_if #(.DATA_WIDTH(DATA_WIDTH)) join_out ();
  logic [1:0] unused_source;
  lig_arbiter #(.DATA_WIDTH(DATA_WIDTH), .INPUTS(3)) join_inputs (
      .clk_i, .rst_i, .s_axis(in[Joined:Inputs-1]), .m_axis(join_out), .m_axis_tid(unused_source));

  for (genvar i = 0; i < Nodes; i++) begin : g_node
    if (i == Control) begin : g_join
      hmt_node #(.DATA_WIDTH(DATA_WIDTH), .DATAFLOW(1)) node (.clk_i, .rst_i, .s_axis(join_out), .m_axis(out[i]));
    end else begin : g_plain
      localparam int unsigned From = i < Control ? i : i - 1;
      hmt_node #(.DATA_WIDTH(DATA_WIDTH), .DATAFLOW(1)) node (.clk_i, .rst_i, .s_axis(in[From]), .m_axis(out[i]));
    end
  end

  // --- ends in memory -------------------------------------------------------------------------------------

  logic [ENDS-1:0] send_valid, send_ready, room_valid, room_ready, sent_valid, sent_ready, stored_valid, stored_ready;
  logic [ENDS-1:0] recall, late;
  logic [ENDS-1:0][31:0] looped, dropped;
  send_t [ENDS-1:0] send;
  room_t [ENDS-1:0] room;
  event_t [ENDS-1:0] sent, stored;
  lig_axi_if #(.DATA_WIDTH(DATA_WIDTH)) each[ENDS] ();
  lig_axi_if #(.DATA_WIDTH(DATA_WIDTH), .ID_WIDTH(ID_WIDTH)) memory ();
  assign m_axi_o = {memory.arvalid, memory.arid, memory.araddr, memory.arlen, memory.rready,
                    memory.awvalid, memory.awid, memory.awaddr, memory.awlen,
                    memory.wvalid, memory.wdata, memory.wstrb, memory.wlast, memory.bready};
  assign {memory.arready, memory.rvalid, memory.rid, memory.rdata, memory.rresp, memory.rlast,
          memory.awready, memory.wready, memory.bvalid, memory.bid, memory.bresp} = m_axi_i;

  for (genvar i = 0; i < ENDS; i++) begin : g_end
    lig_smt_sub #(.DATA_WIDTH(DATA_WIDTH), .DEPTH(Depth)) sub (
        .clk_i, .rst_i, .recall_i(recall[i]),
        .send_valid_i(send_valid[i]), .send_ready_o(send_ready[i]), .send_i(send[i]),
        .event_valid_o(sent_valid[i]), .event_ready_i(sent_ready[i]), .event_o(sent[i]), .late_o(late[i]),
        .m_axis(in[i]),
        .m_axi(each[i]));
    if (i < (TOPICS ? 1 : Nodes)) begin : g_pub
      localparam int unsigned From = TOPICS ? Control : i;
      lig_smt_pub #(.DATA_WIDTH(DATA_WIDTH), .DEPTH(Depth)) pub (
          .clk_i, .rst_i, .recall_i(recall[i]), .topic_i(8'(i)),
          .s_axis(out[From]),
          .room_valid_i(room_valid[i]), .room_ready_o(room_ready[i]), .room_i(room[i]),
          .event_valid_o(stored_valid[i]), .event_ready_i(stored_ready[i]), .event_o(stored[i]),
          .looped_o(looped[i]), .dropped_o(dropped[i]),
          .m_axi(each[i]));
    end else begin : g_no_pub
      assign room_ready[i] = 1'b0;
      assign stored_valid[i] = 1'b0;
      assign stored[i] = '0;
      assign looped[i] = '0;
      assign dropped[i] = '0;
      lig_axi_no_write no_write (.m_axi(each[i]));
    end
  end

  logic unused_page_write;
  logic [15:0] unused_page;
  logic [63:0] unused_page_entry;
  lig_axil_if s_axil ();
  assign {s_axil.awvalid, s_axil.awaddr, s_axil.wvalid, s_axil.wdata, s_axil.bready,
          s_axil.arvalid, s_axil.araddr, s_axil.rready} = s_axil_i;
  assign s_axil.wstrb = '1;
  assign {s_axil.awprot, s_axil.arprot} = '0;
  assign s_axil_o = {s_axil.awready, s_axil.wready, s_axil.bvalid, s_axil.bresp,
                     s_axil.arready, s_axil.rvalid, s_axil.rdata, s_axil.rresp};
  lig_shell #(.ENDS(ENDS)) shell (
      .clk_i, .rst_i, .s_axil, .irq_o,
      .send_valid_o(send_valid), .send_ready_i(send_ready), .send_o(send),
      .room_valid_o(room_valid), .room_ready_i(room_ready), .room_o(room),
      .sent_valid_i(sent_valid), .sent_ready_o(sent_ready), .sent_i(sent),
      .stored_valid_i(stored_valid), .stored_ready_o(stored_ready), .stored_i(stored),
      .recall_o(recall), .late_i(late), .looped_i(looped), .dropped_i(dropped),
      .busy_i('0), .reads_i('0), .writes_i('0),
      .page_write_o(unused_page_write), .page_o(unused_page), .page_entry_o(unused_page_entry), .page_ready_i(1'b0),
      .refused_i('0), .refused_write_i('0), .refused_id_i('0), .refused_address_i('0));

  lig_axi_mux #(.DATA_WIDTH(DATA_WIDTH), .MASTERS(ENDS)) port (
      .clk_i, .rst_i, .s_axi(each), .m_axi(memory));

  // --- topics ---------------------------------------------------------------------------------------------

  // Who publishes topics A to F, and the first input that each leads to. A has two more: the lights'.
  if (TOPICS) begin : g_topics
    localparam int unsigned Topics = 6;
    localparam bit [Topics-1:0][3:0] Publisher = {4'd6, 4'd5, 4'd3, 4'd2, 4'd1, 4'd0};
    localparam bit [Topics-1:0][3:0] First = {4'd8, 4'd7, 4'd6, 4'd3, 4'd2, 4'd1};
    for (genvar i = 0; i < Topics; i++) begin : g_topic
      localparam int unsigned P = 32'(Publisher[i]);
      localparam int unsigned F = 32'(First[i]);
      if (i == 0) begin : g_many
        lig_axis_if #(.DATA_WIDTH(DATA_WIDTH)) three[3] ();
        lig_axis_wire first (.s_axis(three[0]), .m_axis(in[F]));
        lig_axis_wire red (.s_axis(three[1]), .m_axis(in[4]));
        lig_axis_wire green (.s_axis(three[2]), .m_axis(in[5]));
        lig_topic #(.DATA_WIDTH(DATA_WIDTH), .SUBSCRIBERS(3), .STATS(0)) topic (
            .clk_i, .rst_i, .s_axis(out[P:P]), .m_axis(three));
      end else begin : g_one
        lig_topic #(.DATA_WIDTH(DATA_WIDTH), .STATS(0)) topic (
            .clk_i, .rst_i, .s_axis(out[P:P]), .m_axis(in[F:F]));
      end
    end
  end
endmodule
