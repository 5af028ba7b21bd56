// SPDX-License-Identifier: Apache-2.0
//
// A network of 2 publishers and 2 subscribers, to a bound: with free stalls everywhere and messages of 2
// beats or more, of free length, each subscriber sees whole messages, never mixed, each publisher's in
// order, and both subscribers the same order. Subscriber 0 is keep-all and misses none; subscriber 1 has
// the QoS of the run (QOS1).
//
// A publisher's beats name themselves: publisher, message, beat.
// REACH asserts that 2 messages of each publisher never arrive at both subscribers, and has to fail within
// 13 cycles: from there on a bound sees all four arrive.
module lig_topic_formal #(
    parameter bit [1:0] QOS1 = 2'd0
) (
    input logic       clk_i,
    input logic       rst_i,
    input logic [1:0] s_valid,
    input logic [1:0] s_last,
    input logic [1:0] m_ready
);
  logic [1:0] s_ready, m_valid, m_last;
  logic [1:0][63:0] s_data, m_data;
  logic [1:0][7:0] m_keep;
  logic [1:0][31:0] drops, peaks;
  logic [31:0] frames, beats, stalls, gaps;

  lig_axis_if s_axis[2] (), m_axis[2] ();
  for (genvar i = 0; i < 2; i++) begin : g_flat
    assign s_axis[i].tvalid = s_valid[i];
    assign s_axis[i].tdata = s_data[i];
    assign s_axis[i].tkeep = 8'hFF;
    assign s_axis[i].tlast = s_last[i];
    assign s_ready[i] = s_axis[i].tready;
    assign {m_valid[i], m_data[i], m_keep[i], m_last[i]} = {
        m_axis[i].tvalid, m_axis[i].tdata, m_axis[i].tkeep, m_axis[i].tlast};
    assign m_axis[i].tready = m_ready[i];
  end
  lig_topic #(
      .PUBLISHERS(2), .SUBSCRIBERS(2), .QOS({QOS1, 2'd0}), .DEPTH({QOS1 == 2'd1 ? 32'd4 : 32'd2, 32'd2}), .STATS(0)) dut (
      .clk_i, .rst_i, .s_axis, .m_axis,
      .drops_o(drops), .frames_o(frames), .beats_o(beats), .stalls_o(stalls), .gaps_o(gaps), .peaks_o(peaks));

  // One reset, at the start.
  logic started_q;
  initial started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  always_comb assume (rst_i == !started_q);

  // --- publishers -----------------------------------------------------------------------------------------

  logic [1:0][1:0] message_q, beat_q;
  // Order in which the messages entered the network, and the length of each, by publisher and number.
  logic [1:0][1:0][1:0] length_q;
  logic [1:0][1:0][2:0] place_q;
  logic [2:0] placed_q;

  for (genvar p = 0; p < 2; p++) begin : g_publisher
    assign s_data[p] = {60'd0, 1'(p), message_q[p][0], beat_q[p]};
    lig_axis_rules #(.ASSUME(1)) rules (
        .clk_i, .rst_i, .tvalid(s_valid[p]), .tready(s_ready[p]), .tdata(s_data[p]), .tkeep(8'hFF),
        .tlast(s_last[p]));
    always_comb begin
      if (beat_q[p] == '0) assume (!s_last[p]);
      if (beat_q[p] == 2'd2) assume (s_last[p]);
      if (message_q[p] == 2'd2) assume (!s_valid[p]);
    end
    always_ff @(posedge clk_i) begin
      if (s_valid[p] && s_ready[p]) begin
        beat_q[p] <= s_last[p] ? '0 : beat_q[p] + 1'b1;
        if (s_last[p]) begin
          message_q[p] <= message_q[p] + 1'b1;
          length_q[p][message_q[p][0]] <= beat_q[p];
        end
        if (beat_q[p] == '0) place_q[p][message_q[p][0]] <= placed_q;
      end
      if (rst_i) begin
        beat_q[p] <= '0;
        message_q[p] <= '0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    // One input is served per cycle (lig_arbiter_formal).
    if ((s_valid[0] && s_ready[0] && beat_q[0] == '0) || (s_valid[1] && s_ready[1] && beat_q[1] == '0)) begin
      placed_q <= placed_q + 1'b1;
    end
    if (rst_i) placed_q <= '0;
  end

  // --- subscribers ----------------------------------------------------------------------------------------

  logic [1:0] complete;
  for (genvar s = 0; s < 2; s++) begin : g_subscriber
    lig_axis_rules rules (
        .clk_i, .rst_i, .tvalid(m_valid[s]), .tready(m_ready[s]), .tdata(m_data[s]), .tkeep(m_keep[s]),
        .tlast(m_last[s]));

    logic p, message;
    logic [1:0] beat;
    assign {p, message, beat} = m_data[s][3:0];

    logic inside_q, publisher_q, open_q;
    logic [1:0] next_beat_q;
    logic [1:0][1:0] next_q;  // per publisher: the lowest number that may come
    logic [2:0] next_place_q;
    always_ff @(posedge clk_i) begin
      if (m_valid[s] && m_ready[s]) begin
        inside_q <= !m_last[s];
        publisher_q <= p;
        open_q <= message;
        next_beat_q <= beat + 1'b1;
        if (!inside_q) begin
          next_q[p] <= 2'(message) + 1'b1;
          next_place_q <= place_q[p][message] + 1'b1;
        end
      end
      if (rst_i) begin
        inside_q <= 1'b0;
        next_q <= '0;
        next_place_q <= '0;
      end
    end
    always_comb begin
      if (!rst_i && m_valid[s]) begin
        assert (m_data[s][63:4] == '0 && m_keep[s] == '1);
        if (inside_q) begin
          assert (p == publisher_q && message == open_q && beat == next_beat_q);
        end else begin
          assert (beat == '0);
          assert (2'(message) >= next_q[p]);
          assert (place_q[p][message] >= next_place_q);
          if (s == 0) assert (2'(message) == next_q[p] && place_q[p][message] == next_place_q);
        end
        if (m_last[s]) assert (beat == length_q[p][message]);
      end
    end
    // The last beat of the fourth message is offered.
    assign complete[s] = next_q[0] == 2'd2 && next_q[1] == 2'd2 && inside_q && m_valid[s] && m_last[s];
  end

`ifdef REACH
  always_comb assert (rst_i || !started_q || complete != '1);
`endif
endmodule
