// SPDX-License-Identifier: Apache-2.0
//
// lig_smt_pub, to a bound, with free frames (whole, runt, oversize, of any topic), free stalls of memory and
// software, and recall at any moment: every room that was lent is answered at most once, never before memory has
// answered for all that was written into it, and never written afterwards. Rooms that frames took are answered in
// the order in which they were lent (one that is recalled may overtake one that is being written).
//
// Rooms carry their number as tag, and lie 64 bytes apart: a burst's address names its room.
// REACH asserts that of two rooms never one comes back with a message and one recalled, and has to fail.
module lig_smt_pub_formal
  import lig_transfer_pkg::*;
(
    input logic clk_i, rst_i, recall_i, room_valid, event_ready, aw_ready, w_ready, b_valid,
    input logic s_valid, s_last, input logic [63:0] s_data, input logic [7:0] s_keep
);
  logic s_ready, room_ready, event_valid;
  lig_axis_if s_axis ();
  assign {s_axis.tvalid, s_axis.tdata, s_axis.tkeep, s_axis.tlast} = {s_valid, s_data, s_keep, s_last};
  assign s_ready = s_axis.tready;
  lig_axi_if m_axi ();
  assign m_axi.awready = aw_ready;
  assign m_axi.wready = w_ready;
  assign m_axi.bvalid = b_valid;
  assign m_axi.bid = '0;
  assign m_axi.bresp = '0;
  logic [31:0] looped, dropped;
  event_t told;
  room_t room;

  logic [3:0] lent_q;  // rooms so far
  logic [15:0] out_q;  // rooms that are lent and not answered
  logic [4:0] used_q;  // one behind the last room that a frame took and that is answered
  assign room = '{tag: 16'(lent_q), capacity: 32'd64, address: {54'd0, lent_q, 6'd0}};

  lig_smt_pub #(.BURST_BEATS(1), .DEPTH(2), .OUTSTANDING(2), .ROOMS(2), .FILTER(1)) dut (
      .clk_i, .rst_i, .recall_i, .topic_i(8'd7),
      .s_axis,
      .room_valid_i(room_valid), .room_ready_o(room_ready), .room_i(room),
      .event_valid_o(event_valid), .event_ready_i(event_ready), .event_o(told),
      .looped_o(looped), .dropped_o(dropped),
      .m_axi);

  // One reset, at the start.
  logic started_q;
  initial started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  always_comb assume (rst_i == !started_q);

  // What decides in a header stays free: 5 bits of the length, software or hardware, kind, 3 bits of the topic. The
  // rest would only be wires for the solver to carry.
  always_comb assume ((s_data & ~64'h47C0_0000_0000_001F) == '0);

  lig_axis_rules #(.ASSUME(1)) rules_s (
      .clk_i, .rst_i, .tvalid(s_valid), .tready(s_ready), .tdata(s_data), .tkeep(s_keep), .tlast(s_last));
  lig_axis_rules #(.DATA_WIDTH($bits(event_t)), .KEEP_WIDTH(1), .WHOLE(0)) rules_event (
      .clk_i, .rst_i, .tvalid(event_valid), .tready(event_ready), .tdata(told), .tkeep(1'b1), .tlast(1'b1));

  // Memory answers what was written, and only that; its answer stays until it is taken.
  logic [2:0] written_q;  // bursts whose data are in and that are not answered
  logic answering_q, offering_q;
  wire written = m_axi.wvalid && w_ready && m_axi.wlast;
  wire answered = b_valid && m_axi.bready;
  always_comb begin
    if (written_q == '0) assume (!b_valid);
    if (answering_q) assume (b_valid);
    // A room is offered until it is taken.
    if (offering_q) assume (room_valid);
  end

  // Bursts of each room that memory owes an answer for; which room a burst is of, by order.
  logic [15:0][2:0] owed_q;
  logic [7:0][3:0] order_q;
  logic [2:0] begun_q, answered_q;
  logic done_q, recalled_q;
  initial {lent_q, out_q, used_q, written_q, answering_q, offering_q, owed_q, begun_q, answered_q} = '0;
  initial {done_q, recalled_q} = '0;

  wire begins = m_axi.awvalid && aw_ready;
  wire tells = event_valid && event_ready;
  always_ff @(posedge clk_i) begin
    if (room_valid && room_ready) lent_q <= lent_q + 1'b1;
    out_q <= (out_q | (16'(room_valid && room_ready) << lent_q)) & ~(16'(tells) << told.tag[3:0]);
    if (tells && told.status != Recalled) used_q <= 5'(told.tag[3:0]) + 1'b1;
    written_q <= written_q + 3'(written) - 3'(answered);
    answering_q <= b_valid && !m_axi.bready;
    offering_q <= room_valid && !room_ready;
    if (begins) begin
      order_q[begun_q] <= m_axi.awaddr[9:6];
      begun_q <= begun_q + 1'b1;
    end
    if (answered) answered_q <= answered_q + 1'b1;
    for (int unsigned i = 0; i < 16; i++) begin
      owed_q[i] <= owed_q[i] + 3'(begins && m_axi.awaddr[9:6] == 4'(i))
          - 3'(answered && order_q[answered_q] == 4'(i));
    end
    if (tells && told.status == Done) done_q <= 1'b1;
    if (tells && told.status == Recalled) recalled_q <= 1'b1;
    if (rst_i) {lent_q, out_q, used_q, written_q, answering_q, offering_q, owed_q, begun_q, answered_q} <= '0;
    if (rst_i) {done_q, recalled_q} <= '0;
  end

  always_comb begin
    if (!rst_i && started_q) begin
      if (event_valid) begin
        // Only of rooms that were lent, and once.
        assert (told.tag < 16'd16 && out_q[told.tag[3:0]]);
        if (told.status != Recalled) assert (5'(told.tag[3:0]) >= used_q);
        // Memory has answered for it; a recalled room was never written.
        assert (owed_q[told.tag[3:0]] == '0);
      end
      if (m_axi.awvalid) begin
        assert (m_axi.awlen == '0);
        assert (m_axi.awaddr[63:10] == '0 && out_q[m_axi.awaddr[9:6]]);
      end
      if (m_axi.wvalid) assert (m_axi.wlast);
    end
  end

`ifdef REACH
  always_comb assert (rst_i || !(done_q && recalled_q));
`endif
endmodule
