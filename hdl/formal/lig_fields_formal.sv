// SPDX-License-Identifier: Apache-2.0
//
// lig_unpack and lig_pack back to back, to a bound: a message of one fixed field (4 bytes) and a sequence of at most
// 5 elements of 2 bytes, from any stream (frames cut short, too long, with any bytes), with free stalls in front,
// between and behind.
//
// - The field stream keeps its rules, whatever comes: the fixed field, a count of at most 5, as many elements as
//   it says and not a beat more, Done; or Broken in the place of any of these. Each frame ends one message.
// - It is Done exactly if the frame's body is such a message (up to 3 bytes of padding behind it are allowed).
// - What leaves is the frame that came: its header, and each byte. It is as long as its header says exactly if it was
//   Done and the header told the truth; all others leave with another length, which every receiver finds, or not at all.
//
// One frame is looked at, the first or the second (NUMBER). All are without front padding.
// REACH asserts that a message of 5 elements never leaves whole, and has to fail.
module lig_fields_formal
  import lig_fields_pkg::*;
  import lig_stream_pkg::*;
#(
    parameter int unsigned STALLS = 15,  // cycles in which somebody stalls, 0..14; 15: any number
    parameter int unsigned NUMBER = 0    // of the frame that is looked at
) (
    input logic clk_i, rst_i, hold_i, m_ready,
    input logic s_valid, s_last, input logic [63:0] s_data, input logic [7:0] s_keep
);
  localparam int unsigned Bound = 5;
  localparam int unsigned Fixed = 12;  // bytes in front of the elements: encapsulation, field, count
  localparam int unsigned Beats = 6;   // of the longest frame: a beat longer than a message of 5 elements

  logic s_ready, valid, ready, last, m_valid, m_last;
  logic [63:0] data, m_data;
  logic [7:0] keep, m_keep;
  token_t user;
  problem_e problem;
  logic [11:0] unpack_address, pack_address;

  function automatic instruction_t word_at(input logic [11:0] address);
    word_at = '0;
    word_at.op = OpEnd;
    if (address == 12'd0) begin
      word_at.op = OpFixed;
      word_at.log_size = 2'd2;
      word_at.argument = 32'd1;
    end else if (address == 12'd1) begin
      word_at.op = OpSequence;
      word_at.log_size = 2'd1;
      word_at.field = 12'd1;
      word_at.argument = Bound;
    end
  endfunction

  lig_axis_if s_axis (), m_axis ();
  lig_fields_if fields (), to_pack ();
  assign {s_axis.tvalid, s_axis.tdata, s_axis.tkeep, s_axis.tlast} = {s_valid, s_data, s_keep, s_last};
  assign s_ready = s_axis.tready;
  lig_unpack #(.NESTING(1)) unpack (
      .clk_i, .rst_i, .s_axis, .m_axis(fields),
      .start_i('0), .address_o(unpack_address), .word_i(word_at(unpack_address)));
  assign {valid, data, keep, user, last} = {fields.tvalid, fields.tdata, fields.tkeep, fields.tuser, fields.tlast};

  // What was offered stays offered.
  logic passes, offered_q;
  assign passes = offered_q || !hold_i;
  assign ready = to_pack.tready && passes;
  assign fields.tready = ready;
  assign to_pack.tvalid = valid && passes;
  assign {to_pack.tdata, to_pack.tkeep, to_pack.tuser, to_pack.tlast, to_pack.header} = {
      data, keep, user, last, fields.header};
  lig_pack #(.NESTING(1)) pack (
      .clk_i, .rst_i, .s_axis(to_pack), .m_axis, .problem_o(problem),
      .start_i('0), .address_o(pack_address), .word_i(word_at(pack_address)));
  assign {m_valid, m_data, m_keep, m_last} = {m_axis.tvalid, m_axis.tdata, m_axis.tkeep, m_axis.tlast};
  assign m_axis.tready = m_ready;

  // One reset, at the start.
  logic started_q;
  initial started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  always_comb assume (rst_i == !started_q);

  lig_axis_rules #(.ASSUME(1)) rules_s (
      .clk_i, .rst_i, .tvalid(s_valid), .tready(s_ready), .tdata(s_data), .tkeep(s_keep), .tlast(s_last));
  lig_axis_rules #(.DATA_WIDTH(64 + $bits(token_t)), .KEEP_WIDTH(8), .WHOLE(0)) rules_fields (
      .clk_i, .rst_i, .tvalid(valid), .tready(ready), .tdata({user, data}), .tkeep(keep), .tlast(last));
  lig_axis_rules rules_m (
      .clk_i, .rst_i, .tvalid(m_valid), .tready(m_ready), .tdata(m_data), .tkeep(m_keep), .tlast(m_last));

  // --- what comes -----------------------------------------------------------------------------------------

  logic [2:0] beat_q;
  logic [1:0] frame_q;  // stays behind the second
  logic looked_at, whole_q;
  logic [Beats-1:0][63:0] kept_q;  // the frame that is looked at
  logic [5:0] bytes_q;             // of its body, so far
  wire comes = s_valid && s_ready;
  assign looked_at = frame_q == 2'(NUMBER);

  // The first cycle behind a reset has no beat.
  logic open_q, stalls;
  logic [3:0] stalls_q;
  assign stalls = open_q && (!s_valid || hold_i || !m_ready);
  always_ff @(posedge clk_i) begin
    open_q <= !rst_i;
    if (stalls && stalls_q != '1) stalls_q <= stalls_q + 1'b1;
    if (rst_i) stalls_q <= '0;
  end

  // What decides is free, and a bit of each byte that is only carried: the others would go the same way.
  logic [63:0] free;
  always_comb begin
    unique case (beat_q)
      3'd0: free = 64'h0000_0001_0000_00FF;  // length, and of the sequence number
      3'd1: free = 64'h1;
      3'd2: free = 64'h0101_0101_0101_0301;  // encapsulation, field
      3'd3: free = 64'h0101_0101_8000_000F;  // count, elements
      default: free = 64'h0101_0101_0101_0101;
    endcase
    assume ((s_data & ~free) == '0);
    if (beat_q == 3'(Beats - 1)) assume (s_last);
    assume (STALLS == 15 || 32'(stalls_q) < STALLS || !stalls);
  end

  always_ff @(posedge clk_i) begin
    offered_q <= valid && passes && !ready;
    if (comes) begin
      beat_q <= s_last ? '0 : beat_q + 1'b1;
      if (s_last && frame_q != 2'd2) frame_q <= frame_q + 1'b1;
      if (looked_at) begin
        kept_q[beat_q] <= s_data;
        if (beat_q >= 3'd2) bytes_q <= bytes_q + 6'($countones(s_keep));
        if (s_last) whole_q <= 1'b1;
      end
    end
    if (rst_i) {offered_q, beat_q, frame_q, bytes_q, whole_q} <= '0;
  end

  logic [31:0] count, need;
  logic fits, conforms;
  assign count = kept_q[3][31:0];
  assign need = 32'(Fixed) + (count << 1);
  assign fits = kept_q[2][15:0] == 16'h0100 && bytes_q >= 6'(Fixed) && count <= Bound
      && 32'(bytes_q) >= need && 32'(bytes_q) <= need + 32'd3;
  assign conforms = fits && kept_q[0][31:0] == need;

  // --- the field stream -----------------------------------------------------------------------------------

  // What comes next of a message: the field, the count, elements, the end.
  logic [1:0] stage_q, message_q;
  logic [2:0] left_q;  // elements
  logic told_q, done_q, outside_q;
  logic [1:0] sent_q, place_q;  // messages that pack sends a frame of; of the one that is looked at
  logic sends_q;
  wire speaks = valid && ready;
  wire begins = speaks && stage_q == '0 && user.kind != Broken;

  always_ff @(posedge clk_i) begin
    if (speaks) begin
      unique case (user.kind)
        Values: begin
          if (stage_q == 2'd0) stage_q <= 2'd1;
          else if (left_q <= 3'd4) stage_q <= 2'd3;
          left_q <= left_q <= 3'd4 ? '0 : left_q - 3'd4;
        end
        Count: begin
          stage_q <= data == '0 ? 2'd3 : 2'd2;
          left_q <= data[2:0];
        end
        default: begin
          stage_q <= '0;
          if (message_q != 2'd2) message_q <= message_q + 1'b1;
          if (message_q == 2'(NUMBER)) begin
            told_q <= 1'b1;
            done_q <= user.kind == Done;
          end
        end
      endcase
    end
    if (begins) begin
      if (sent_q != 2'd3) sent_q <= sent_q + 1'b1;
      if (message_q == 2'(NUMBER)) begin
        sends_q <= 1'b1;
        place_q <= sent_q;
      end
    end
    if (rst_i) {stage_q, message_q, left_q, told_q, done_q, sent_q, sends_q, place_q} <= '0;
  end

`ifndef REACH
  always_comb begin
    if (!rst_i && started_q && valid) begin
      assert (last == (user.kind == Done || user.kind == Broken));
      unique case (user.kind)
        Values: begin
          assert (stage_q == 2'd0 || stage_q == 2'd2);
          assert (user.field == (stage_q == 2'd0 ? 12'd0 : 12'd1));
          assert (keep == (stage_q == 2'd0 ? 8'h0F : left_q >= 3'd4 ? 8'hFF : ~(8'hFF << {left_q[1:0], 1'b0})));
        end
        Count: assert (stage_q == 2'd1 && user.field == 12'd1 && keep == 8'h0F && data <= 64'(Bound));
        Done: assert (stage_q == 2'd3);
        Broken: assert (data != '0);
      endcase
      // One message per frame, none before its frame.
      assert (message_q < frame_q || (message_q == frame_q && beat_q != '0) || frame_q == 2'd2);
    end
    if (told_q && whole_q) assert (done_q == fits);
  end
`endif

  // --- what leaves ----------------------------------------------------------------------------------------

  logic [2:0] out_beat_q;
  logic [1:0] out_frame_q;
  logic left_frame_q, complete_q, reported_q;
  logic [5:0] out_bytes;
  wire leaves = m_valid && m_ready;
  wire is_it = sends_q && out_frame_q == place_q;
  assign out_bytes = 6'({out_beat_q - 3'd2, 3'd0}) + 6'($countones(m_keep));

  always_ff @(posedge clk_i) begin
    if (leaves) begin
      out_beat_q <= m_last ? '0 : out_beat_q + 1'b1;
      if (m_last && out_frame_q != 2'd3) out_frame_q <= out_frame_q + 1'b1;
      if (is_it && m_last) begin
        left_frame_q <= 1'b1;
        complete_q <= out_beat_q >= 3'd2 && 32'(out_bytes) == kept_q[0][31:0];
      end
    end
    reported_q <= problem != NoProblem;
    if (rst_i) {out_beat_q, out_frame_q, left_frame_q, complete_q, reported_q} <= '0;
  end

`ifdef REACH
  always_comb assert (!(left_frame_q && complete_q && count == Bound));
`else
  logic [63:0] expected;
  always_comb begin
    expected = kept_q[out_beat_q];
    // Encapsulation is written anew, and its options are 0.
    if (out_beat_q == 3'd2) expected[31:0] = 32'h0000_0100;
    if (!rst_i && started_q && m_valid && is_it) begin
      assert (32'(out_beat_q) < Beats);
      for (int unsigned lane = 0; lane < 8; lane++) begin
        // Behind the announced length there is at most the byte that gives a wrong frame away.
        if (m_keep[lane] && (out_beat_q < 3'd2 || 32'({out_beat_q - 3'd2, 3'(lane)}) < kept_q[0][31:0])) begin
          assert (m_data[8*lane+:8] == expected[8*lane+:8]);
        end
      end
    end
    if (left_frame_q && whole_q && told_q) assert (complete_q == conforms);
    // unpack reports what is broken; only the header's length is left for pack to find.
    if (!rst_i && started_q) assert (problem inside {NoProblem, WrongLength} && !(reported_q && problem != NoProblem));
  end
`endif
endmodule
