// SPDX-License-Identifier: Apache-2.0
//
// lig_topic: a topic between nodes in hardware. Every frame of every publisher reaches every subscriber,
// whole, and all subscribers see the frames in the same order.
//
//   publishers --> tail encoder --> lig_arbiter --> lig_bcast --> queue --> tail decoder --> subscribers
//
// Each subscriber has a queue of its own QoS:
//   0 keep-all     lig_fifo       a full queue makes the publishers wait: nothing is lost
//   1 keep-last    lig_fifo_last  the newest HISTORY frames; an older one is dropped whole, and counted
//   2 best effort  lig_fifo_drop  a frame that finds no room is dropped whole, and counted
// A keep-last or best-effort subscriber never holds anybody back. DEPTH of those two has to hold whole frames.
//
// Inside, tkeep is not carried. It is all ones except on a last beat, where the number of the last kept lane
// says the same: 64 + 3 + 1 bits per beat instead of 64 + 8 + 1, which makes two block RAMs of 18 kbit out
// of three at 512 beats of 64 bits, and 15 out of 17 at 512 bits.
//
//   latency              3 cycles (keep-all), from the publisher's beat to the subscriber's
//   initiation interval  1
//   storage              1 beat, and the queues
module lig_topic #(
    parameter int unsigned DATA_WIDTH = 64,  // bits: 64, 128, 256, 512
    parameter int unsigned PUBLISHERS = 1,   // 1..64
    parameter int unsigned SUBSCRIBERS = 1,  // 1..64
    parameter bit [SUBSCRIBERS-1:0][1:0] QOS = '0,                       // see above
    parameter bit [SUBSCRIBERS-1:0][31:0] DEPTH = {SUBSCRIBERS{32'd512}},  // beats per queue
    parameter bit [SUBSCRIBERS-1:0][31:0] HISTORY = {SUBSCRIBERS{32'd1}},  // frames, keep-last
    parameter bit STATS = 1'b1  // count frames, beats, stalls, gaps of the joined stream; levels of queues
) (
    input logic clk_i, rst_i,  // reset: synchronous, high

    lig_axis_if.receiver s_axis[PUBLISHERS],
    lig_axis_if.transmitter m_axis[SUBSCRIBERS],

    output logic [SUBSCRIBERS-1:0][31:0] drops_o,  // frames dropped per subscriber; saturates
    output logic [31:0] frames_o,                  // of the joined stream, see lig_stats
    output logic [31:0] beats_o,
    output logic [31:0] stalls_o,
    output logic [31:0] gaps_o,
    output logic [SUBSCRIBERS-1:0][31:0] peaks_o   // most beats that a queue has held
);
  if (DATA_WIDTH != 64 && DATA_WIDTH != 128 && DATA_WIDTH != 256 && DATA_WIDTH != 512) begin : g_rule_data_width
    $fatal(1, "lig_topic: rule data_width: DATA_WIDTH = %0d, one of 64, 128, 256, 512 is needed", DATA_WIDTH);
  end
  if (PUBLISHERS < 1 || PUBLISHERS > 64) begin : g_rule_publishers
    $fatal(1, "lig_topic: rule publishers: PUBLISHERS = %0d, 1..64 is needed", PUBLISHERS);
  end
  if (SUBSCRIBERS < 1 || SUBSCRIBERS > 64) begin : g_rule_subscribers
    $fatal(1, "lig_topic: rule subscribers: SUBSCRIBERS = %0d, 1..64 is needed", SUBSCRIBERS);
  end

  localparam int unsigned Lanes = DATA_WIDTH / 8;
  localparam int unsigned T = $clog2(Lanes);

  // The last kept lane of a thermometer. Its bit b is odd where the kept lanes at multiples of 2^b, without lane 0,
  // are: those at odd multiples, and those that bit b + 1 counts.
  function automatic logic [T-1:0] tail_of(input logic [Lanes-1:0] keep);
    logic [T:0] tail;
    logic [Lanes-1:0] odd;
    tail[T] = 1'b0;
    for (int b = int'(T) - 1; b >= 0; b--) begin
      for (int i = 0; i < int'(Lanes); i++) odd[i] = i % (2 << b) == 1 << b;
      tail[b] = ^(keep & odd) ^ tail[b+1];
    end
    return tail[T-1:0];
  endfunction

  // Lanes 0..tail of a last beat, else all. A shift: simulators make one operation of it.
  function automatic logic [Lanes-1:0] keep_of(input logic [T-1:0] tail, input logic last);
    return ~((~Lanes'(1)) << tail) | {Lanes{!last}};
  endfunction

  // --- many to one ----------------------------------------------------------------------------------------

  lig_axis_if #(.DATA_WIDTH(DATA_WIDTH), .KEEP_WIDTH(T)) tailed[PUBLISHERS] ();
  for (genvar i = 0; i < PUBLISHERS; i++) begin : g_tail
    assign tailed[i].tvalid = s_axis[i].tvalid;
    assign tailed[i].tdata = s_axis[i].tdata;
    assign tailed[i].tkeep = tail_of(s_axis[i].tkeep);
    assign tailed[i].tlast = s_axis[i].tlast;
    assign s_axis[i].tready = tailed[i].tready;
  end

  lig_axis_if #(.DATA_WIDTH(DATA_WIDTH), .KEEP_WIDTH(T)) joined ();
  logic [(PUBLISHERS > 1 ? $clog2(PUBLISHERS) : 1)-1:0] unused_id;
  lig_arbiter #(.DATA_WIDTH(DATA_WIDTH), .KEEP_WIDTH(T), .INPUTS(PUBLISHERS)) arbiter (
      .clk_i, .rst_i, .s_axis(tailed), .m_axis(joined), .m_axis_tid(unused_id));

  if (STATS) begin : g_stats
    lig_stats stats (.clk_i, .rst_i, .clear_i(1'b0), .axis(joined), .frames_o, .beats_o, .stalls_o, .gaps_o);
  end else begin : g_no_stats
    assign {frames_o, beats_o, stalls_o, gaps_o} = '0;
  end

  // --- one to many ----------------------------------------------------------------------------------------

  lig_axis_if #(.DATA_WIDTH(DATA_WIDTH), .KEEP_WIDTH(T)) each[SUBSCRIBERS] (), queued[SUBSCRIBERS] ();

  lig_bcast #(.DATA_WIDTH(DATA_WIDTH), .KEEP_WIDTH(T), .OUTPUTS(SUBSCRIBERS)) bcast (
      .clk_i, .rst_i, .s_axis(joined), .m_axis(each));

  for (genvar i = 0; i < SUBSCRIBERS; i++) begin : g_queue
    logic [$clog2(DEPTH[i]):0] level;
    assign each[i].tuser = 1'b0;

    if (QOS[i] == 2'd0) begin : g_keep_all
      lig_fifo #(.DATA_WIDTH(DATA_WIDTH), .KEEP_WIDTH(T), .DEPTH(DEPTH[i])) queue (
          .clk_i, .rst_i, .s_axis(each[i]), .m_axis(queued[i]), .level_o(level));
      assign drops_o[i] = '0;

    end else begin : g_dropping
      logic drop_old, drop_new;
      logic [31:0] drops_q;

      if (QOS[i] == 2'd1) begin : g_keep_last
        lig_fifo_last #(.DATA_WIDTH(DATA_WIDTH), .KEEP_WIDTH(T), .DEPTH(DEPTH[i]), .HISTORY(HISTORY[i])) queue (
            .clk_i, .rst_i, .s_axis(each[i]), .m_axis(queued[i]), .drop_old_o(drop_old), .drop_new_o(drop_new),
            .level_o(level));
      end else if (QOS[i] == 2'd2) begin : g_best_effort
        lig_fifo_drop #(.DATA_WIDTH(DATA_WIDTH), .KEEP_WIDTH(T), .DEPTH(DEPTH[i])) queue (
            .clk_i, .rst_i, .s_axis(each[i]), .m_axis(queued[i]), .drop_o(drop_new), .level_o(level));
        assign drop_old = 1'b0;
      end else begin : g_rule_qos
        $fatal(1, "lig_topic: rule qos: QOS[%0d] = %0d, one of 0, 1, 2 is needed", i, QOS[i]);
        assign level = '0;
      end

      // A replaced frame and a refused one can be of the same cycle only in different frames: never, since
      // each is decided at the end of a coming frame.
      always_ff @(posedge clk_i) begin
        if ((drop_old || drop_new) && !(&drops_q)) drops_q <= drops_q + 1'b1;
        if (rst_i) drops_q <= '0;
      end
      assign drops_o[i] = drops_q;
    end

    assign m_axis[i].tvalid = queued[i].tvalid;
    assign m_axis[i].tdata = queued[i].tdata;
    assign m_axis[i].tkeep = keep_of(queued[i].tkeep, queued[i].tlast);
    assign m_axis[i].tlast = queued[i].tlast;
    assign queued[i].tready = m_axis[i].tready;

    if (STATS) begin : g_peak
      logic [31:0] peak_q;
      always_ff @(posedge clk_i) begin
        if (32'(level) > peak_q) peak_q <= 32'(level);
        if (rst_i) peak_q <= '0;
      end
      assign peaks_o[i] = peak_q;
    end else begin : g_no_peak
      logic unused_level;
      assign unused_level = |level;
      assign peaks_o[i] = '0;
    end
  end

`ifdef LIG_RULES
  for (genvar i = 0; i < PUBLISHERS; i++) begin : g_rules_s
    lig_axis_rules #(.DATA_WIDTH(DATA_WIDTH)) rules (
        .clk_i, .rst_i, .tvalid(s_axis[i].tvalid), .tready(s_axis[i].tready), .tdata(s_axis[i].tdata),
        .tkeep(s_axis[i].tkeep), .tlast(s_axis[i].tlast));
  end
  for (genvar i = 0; i < SUBSCRIBERS; i++) begin : g_rules_m
    lig_axis_rules #(.DATA_WIDTH(DATA_WIDTH)) rules (
        .clk_i, .rst_i, .tvalid(m_axis[i].tvalid), .tready(m_axis[i].tready), .tdata(m_axis[i].tdata),
        .tkeep(m_axis[i].tkeep), .tlast(m_axis[i].tlast));
  end
`endif
endmodule
