// SPDX-License-Identifier: Apache-2.0
//
// lig_topic_mixed: a topic between nodes in hardware whose streams have widths and clocks of their own. It is
// lig_topic, of one width and clock, with a lig_end at each port that differs from it.
//
//   publishers --> lig_end --> lig_topic --> lig_end --> subscribers
//
// What lig_topic promises holds: whole frames, one order for all subscribers, per-subscriber QoS. Frames are
// re-framed where a width changes (spec/wire/stream.md, section 3), so each node sees the frame as its own
// width has it. A subscriber's QoS is that of its queue in the network's clock: a lig_end behind it holds a few
// beats more, of a frame that has left the queue and is no longer dropped.
//
// A port is as wide as its number in S_WIDTH or M_WIDTH says, in the low bits of a row of PORT_WIDTH bits: a
// packed array has rows of one width. The rest of a publisher's row is not looked at, of a subscriber's 0.
//
// A port whose bit in S_CROSS or M_CROSS is 0 has the network's clock: its own clock and reset inputs are not
// used. Frames are joined whole, so a publisher that is slower than the network holds the others up for as
// long as its frame takes to come; a slow subscriber does so when its queue is keep-all and full.
//
// Reset: rst_i and all resets of crossing ports are one reset, each in step with its own clock, held together
// for 4 cycles of the slowest (lig_afifo). One port alone cannot be reset: half a frame of it may be inside.
//
//   latency              that of lig_topic, and of the two ends on the way
//   initiation interval  1 of the slowest on the way
//   storage              that of lig_topic, and of an end per port that differs
module lig_topic_mixed #(
    parameter int unsigned DATA_WIDTH = 64,  // of the network; bits: 64, 128, 256, 512
    parameter int unsigned PORT_WIDTH = 64,  // of the widest port; the same choice
    parameter int unsigned PUBLISHERS = 1,   // 1..64
    parameter int unsigned SUBSCRIBERS = 1,  // 1..64
    parameter bit [PUBLISHERS-1:0][31:0] S_WIDTH = {PUBLISHERS{32'd64}},    // bits per port: the same choice
    parameter bit [SUBSCRIBERS-1:0][31:0] M_WIDTH = {SUBSCRIBERS{32'd64}},
    parameter bit [PUBLISHERS-1:0] S_CROSS = '0,   // the port has a clock of its own
    parameter bit [SUBSCRIBERS-1:0] M_CROSS = '0,
    parameter int unsigned CROSS_DEPTH = 16,       // wide beats per crossing, see lig_afifo
    parameter int unsigned SYNC_STAGES = 2,        // the same
    parameter bit [SUBSCRIBERS-1:0][1:0] QOS = '0,                           // these as lig_topic
    parameter bit [SUBSCRIBERS-1:0][31:0] DEPTH = {SUBSCRIBERS{32'd512}},
    parameter bit [SUBSCRIBERS-1:0][31:0] HISTORY = {SUBSCRIBERS{32'd1}},
    parameter bit STATS = 1'b1
) (
    input logic clk_i,  // of the network
    input logic rst_i,  // synchronous, high

    input logic [PUBLISHERS-1:0] s_clk_i,
    input logic [PUBLISHERS-1:0] s_rst_i,  // synchronous, high
    lig_axis_if.receiver s_axis[PUBLISHERS],

    input logic [SUBSCRIBERS-1:0] m_clk_i,
    input logic [SUBSCRIBERS-1:0] m_rst_i,  // synchronous, high
    lig_axis_if.transmitter m_axis[SUBSCRIBERS],

    output logic [SUBSCRIBERS-1:0][31:0] drops_o,  // these as lig_topic, in step with clk_i
    output logic [31:0] frames_o,
    output logic [31:0] beats_o,
    output logic [31:0] stalls_o,
    output logic [31:0] gaps_o,
    output logic [SUBSCRIBERS-1:0][31:0] peaks_o
);
  // What only this module can see; the rest are rules of lig_end and lig_topic.
  for (genvar i = 0; i < PUBLISHERS; i++) begin : g_rule_s_width
    if (S_WIDTH[i] > PORT_WIDTH) begin : g_refused
      $fatal(1, "lig_topic_mixed: rule s_width: S_WIDTH[%0d] = %0d, at most PORT_WIDTH = %0d is possible",
             i, S_WIDTH[i], PORT_WIDTH);
    end
  end
  for (genvar i = 0; i < SUBSCRIBERS; i++) begin : g_rule_m_width
    if (M_WIDTH[i] > PORT_WIDTH) begin : g_refused
      $fatal(1, "lig_topic_mixed: rule m_width: M_WIDTH[%0d] = %0d, at most PORT_WIDTH = %0d is possible",
             i, M_WIDTH[i], PORT_WIDTH);
    end
  end

  // --- publishers -----------------------------------------------------------------------------------------

  lig_axis_if #(.DATA_WIDTH(DATA_WIDTH)) in[PUBLISHERS] ();

  for (genvar i = 0; i < PUBLISHERS; i++) begin : g_publisher
    localparam int unsigned Width = S_WIDTH[i];
    lig_axis_if #(.DATA_WIDTH(Width)) narrow ();
    assign {narrow.tvalid, narrow.tlast} = {s_axis[i].tvalid, s_axis[i].tlast};
    assign narrow.tdata = s_axis[i].tdata[Width-1:0];
    assign narrow.tkeep = s_axis[i].tkeep[Width/8-1:0];
    assign s_axis[i].tready = narrow.tready;
    lig_end #(
        .S_WIDTH(Width), .M_WIDTH(DATA_WIDTH), .CROSS(S_CROSS[i]), .DEPTH(CROSS_DEPTH),
        .SYNC_STAGES(SYNC_STAGES)) end_of_publisher (
        .s_clk_i(S_CROSS[i] ? s_clk_i[i] : clk_i), .s_rst_i(S_CROSS[i] ? s_rst_i[i] : rst_i), .s_axis(narrow),
        .m_clk_i(clk_i), .m_rst_i(rst_i), .m_axis(in[i]));
  end

  // --- network --------------------------------------------------------------------------------------------

  lig_axis_if #(.DATA_WIDTH(DATA_WIDTH)) out[SUBSCRIBERS] ();

  lig_topic #(
      .DATA_WIDTH(DATA_WIDTH), .PUBLISHERS(PUBLISHERS), .SUBSCRIBERS(SUBSCRIBERS), .QOS(QOS), .DEPTH(DEPTH),
      .HISTORY(HISTORY), .STATS(STATS)) network (
      .clk_i, .rst_i, .s_axis(in), .m_axis(out), .drops_o, .frames_o, .beats_o, .stalls_o, .gaps_o, .peaks_o);

  // --- subscribers ----------------------------------------------------------------------------------------

  for (genvar i = 0; i < SUBSCRIBERS; i++) begin : g_subscriber
    localparam int unsigned Width = M_WIDTH[i];
    lig_axis_if #(.DATA_WIDTH(Width)) narrow ();
    lig_end #(
        .S_WIDTH(DATA_WIDTH), .M_WIDTH(Width), .CROSS(M_CROSS[i]), .DEPTH(CROSS_DEPTH),
        .SYNC_STAGES(SYNC_STAGES)) end_of_subscriber (
        .s_clk_i(clk_i), .s_rst_i(rst_i), .s_axis(out[i]),
        .m_clk_i(m_clk_i[i]), .m_rst_i(m_rst_i[i]), .m_axis(narrow));
    assign {m_axis[i].tvalid, m_axis[i].tlast} = {narrow.tvalid, narrow.tlast};
    assign m_axis[i].tdata = PORT_WIDTH'(narrow.tdata);
    assign m_axis[i].tkeep = (PORT_WIDTH / 8)'(narrow.tkeep);
    assign narrow.tready = m_axis[i].tready;
  end

`ifdef LIG_RULES
  for (genvar i = 0; i < PUBLISHERS; i++) begin : g_rules_s
    localparam int unsigned Width = S_WIDTH[i];
    lig_axis_rules #(.DATA_WIDTH(Width)) rules (
        .clk_i(S_CROSS[i] ? s_clk_i[i] : clk_i), .rst_i(S_CROSS[i] ? s_rst_i[i] : rst_i),
        .tvalid(s_axis[i].tvalid), .tready(s_axis[i].tready), .tdata(s_axis[i].tdata[Width-1:0]),
        .tkeep(s_axis[i].tkeep[Width/8-1:0]), .tlast(s_axis[i].tlast));
  end
  for (genvar i = 0; i < SUBSCRIBERS; i++) begin : g_rules_m
    localparam int unsigned Width = M_WIDTH[i];
    lig_axis_rules #(.DATA_WIDTH(Width)) rules (
        .clk_i(M_CROSS[i] ? m_clk_i[i] : clk_i), .rst_i(M_CROSS[i] ? m_rst_i[i] : rst_i),
        .tvalid(m_axis[i].tvalid), .tready(m_axis[i].tready), .tdata(m_axis[i].tdata[Width-1:0]),
        .tkeep(m_axis[i].tkeep[Width/8-1:0]), .tlast(m_axis[i].tlast));
  end
`endif
endmodule
