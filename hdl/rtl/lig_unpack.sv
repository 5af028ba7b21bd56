// SPDX-License-Identifier: Apache-2.0
//
// lig_unpack: reads a message's frame, 64 bits wide, into the values of its fields.
//
// What comes out is a field stream (spec/wire/fields.md): every beat names its field. What the message looks
// like is a program, one word per field, that `ligament` generates from the message's definition: so the same
// module reads every type, and one instance can serve several topics (start_i). The program is outside, as a
// constant or a memory that is read in the same cycle (address_o, word_i).
//
// Two beats of the frame are looked at, the held one and the one behind it, from byte at_q of the held one: each
// step takes 0 to 8 bytes. Padding in front of a wide element is a step, and so are 8 bytes of elements; a count is
// two: its bytes, and the judgement. Frames are not trusted: each count is compared with its bound and each byte
// with the end of the frame before it is used. A message that turns out broken ends with a beat of kind Broken, and
// the rest of its frame is dropped.
//
// What a step needs comes from registers: the instruction was read a cycle earlier, how many bytes are still to
// come is kept as beats and a rest, and bytes move only between two beats that are in registers (lig_skid).
//
//   latency              from a message's last beat to Done: 4 cycles
//   initiation interval  1 for 8 bytes of elements or text; 2 for a single value, 3 with a count
//   storage              3 beats, the header, NESTING counts
//
// Wider streams: lig_width in front.
module lig_unpack
  import lig_fields_pkg::*;
  import lig_stream_pkg::*;
#(
    parameter int unsigned NESTING = 4  // sequences of messages within each other, 1..8
) (
    input logic clk_i, rst_i,  // reset: synchronous, high

    lig_axis_if.receiver s_axis,
    lig_fields_if.transmitter m_axis,

    input  logic [11:0]  start_i,    // where the program begins; read with the second half of a frame's header
    output logic [11:0]  address_o,
    input  instruction_t word_i      // the program at address_o, in the same cycle
);
  if (NESTING < 1 || NESTING > 8) begin : g_rule_nesting
    $fatal(1, "lig_unpack: rule nesting: NESTING = %0d, 1..8 is needed", NESTING);
  end

  typedef enum logic [3:0] {
    HeaderLow, HeaderHigh, Padding, Origin, Load, Fetch, Judge, Elements, Ending, Finish, Report, Drain
  } state_e;

  state_e state_q, state;
  problem_e problem_q, problem;
  problem_e found_q, found;     // with the step before, with this one
  header_t header_q;
  instruction_t now_q;          // the instruction that is walked
  logic [11:0] address_q;       // of the one behind it
  logic [2:0] place_q;          // position in the message, modulo 8
  logic [31:0] count_q;         // as it is said: of a text without its NUL
  logic none_q;                 // it is 0
  logic [NESTING-1:0][31:0] counts_q;  // what is being repeated, innermost in place 0

  // Bytes of elements, or of front padding, still to come, less one: 8 * beats_q + rest_q.
  logic [31:0] beats_q;
  logic [2:0] rest_q;
  logic final_q;                // beats_q is 0
  logic [2:0] lane_q;           // the last lane of one beat of them
  logic [3:0] chunk_end_q;      // at_q + lane_q: that lane from the held beat on, behind it from 8 on

  // All but the beats stays as it is amidst the elements of a field.
  logic walk_clk;
  lig_gate walk (
      .clk_i, .rst_i, .wake_i(state_q != Elements || final_q || found_q != NoProblem), .clk_o(walk_clk));

  // --- the two beats --------------------------------------------------------------------------------------

  logic next_valid, next_ready, next_last;
  logic [63:0] next, held_q, from, joined, by_one, by_two, view;
  logic [7:0] next_keep, held_keep_q, from_keep, joined_keep, view_keep;
  logic held_last_q, in_body, follows, ended, empty;
  logic [2:0] at_q;
  logic [3:0] want, reach;  // bytes that this step needs, 0..8; where they end
  logic step, leave;

  lig_axis_if arrived ();
  lig_skid beats (.clk_i, .rst_i, .s_axis, .m_axis(arrived));
  assign next_valid = arrived.tvalid;
  assign next = arrived.tdata;
  assign next_keep = arrived.tkeep;
  assign next_last = arrived.tlast;
  assign arrived.tready = next_ready;

  assign in_body = state_q != HeaderLow && state_q != HeaderHigh;
  assign follows = next_valid && !held_last_q;  // what is behind the held beat is of the same frame
  assign empty = !held_keep_q[0];
  assign ended = held_last_q || (next_valid && next_last && !empty);
  assign reach = 4'(at_q) + want;
  assign leave = step && reach[3];
  // With the message the beat leaves that holds its end.
  assign next_ready = !in_body || state_q == Drain ||
      (!held_last_q && state_q != Report && (leave || empty || (state_q == Finish && step)));

  // Lanes from at_q on are the held beat's, those below come from the next one; then lane at_q becomes lane 0.
  assign from = ~64'd0 << {at_q, 3'd0};
  assign from_keep = 8'hFF << at_q;
  assign joined = (held_q & from) | (next & ~from);
  assign joined_keep = (held_keep_q & from_keep) | (follows ? next_keep & ~from_keep : '0);
  assign by_one = at_q[0] ? {joined[7:0], joined[63:8]} : joined;
  assign by_two = at_q[1] ? {by_one[15:0], by_one[63:16]} : by_one;
  assign view = at_q[2] ? {by_two[31:0], by_two[63:32]} : by_two;
  assign view_keep = 8'({joined_keep, joined_keep} >> at_q);

  always_ff @(posedge clk_i) begin
    if (next_ready) held_q <= next;
    if (next_ready && next_valid) held_last_q <= next_last;
    if (!in_body) begin
      held_keep_q <= '0;
      at_q <= '0;
    end else begin
      if (next_ready && next_valid) held_keep_q <= next_keep;
      else if (leave) held_keep_q <= '0;
      if (step) at_q <= reach[2:0];
    end
  end

  // --- one step -------------------------------------------------------------------------------------------

  logic [31:0] word;
  logic [2:0] size_mask, slack, count_slack;  // bytes to the next multiple of the element's size, of a count's
  logic is_count, is_text, is_wide, padded, enough, in_view, starved, needs_token, waits;
  logic [7:0] chunk_keep;
  logic [63:0] elements;

  assign word = view[31:0];
  assign is_count = now_q.op inside {OpSequence, OpString, OpWideString, OpRepeatSequence};
  assign is_text = now_q.op == OpString;
  assign is_wide = now_q.op == OpWideString;
  assign padded = (now_q.op == OpSequence || is_wide) && !none_q;  // to the first element
  assign size_mask = 3'((4'd1 << now_q.log_size) - 4'd1);
  assign slack = (3'd0 - place_q) & size_mask;
  assign count_slack = {1'b0, 2'd0 - place_q[1:0]};
  assign chunk_keep = ~(8'hFE << lane_q);

  // A bool is 0 or 1 in the field stream, whatever its byte was.
  always_comb begin
    elements = view & ~(~64'hFF << {lane_q, 3'd0});
    if (now_q.is_bool) begin
      for (int unsigned i = 0; i < 8; i++) elements[8*i+:8] = {7'd0, |elements[8*i+:8]};
    end
  end

  // Elements follow padding: whether the frame has that much is asked of them.
  assign in_view = view_keep[7] || ended;

  // What the step needs, whether that is there, and whether it speaks.
  always_comb begin
    want = 4'd0;
    enough = 1'b1;
    needs_token = 1'b0;
    unique case (state_q)
      Padding, Elements: begin
        want = 4'(lane_q) + 4'd1;
        enough = chunk_end_q[3] ? follows && next_keep[chunk_end_q[2:0]] : held_keep_q[chunk_end_q[2:0]];
        needs_token = state_q == Elements;
      end
      Origin: begin
        want = 4'd4;
        enough = view_keep[3];
      end
      Fetch: begin
        if (is_count) begin
          want = count_slack != '0 ? 4'(count_slack) : 4'd4;
          enough = view_keep[{1'b0, ~place_q[1:0]}];
        end else if (now_q.op == OpFixed) begin
          want = 4'(slack);
          enough = in_view;
        end
      end
      Judge: begin
        if (padded) begin
          want = 4'(slack);
          enough = in_view;
        end
        needs_token = 1'b1;
      end
      Ending: begin
        want = 4'd1;
        enough = view_keep[0];
      end
      Finish, Report: needs_token = 1'b1;
      default: ;
    endcase
  end

  logic over_bound, no_unit, too_long;
  assign starved = !enough && ended;
  assign over_bound = state_q == Judge && count_q > now_q.argument;
  assign no_unit = is_wide && (|view[31:16] || (chunk_keep[7] && |view[63:48]));
  // A message is done when nothing but padding to a multiple of 4 is behind it.
  assign too_long = state_q == Finish && view_keep[3];
  assign waits = too_long || (state_q == Finish && !ended);

  // What is wrong with the bytes is acted upon a cycle later, before anything but elements could be said of them: so
  // no path leads through the bytes, the judgement and the state. What is wrong is no part of the step either: of a
  // broken message it does not matter what is taken.
  always_comb begin
    found = NoProblem;
    unique case (state_q)
      Origin: if (view[15:0] != 16'h0100) found = Encapsulation;
      Fetch: if (is_text && count_slack == '0 && word == '0) found = BadText;
      Elements: if (no_unit) found = BadText;
      Ending: if (view[7:0] != '0) found = BadText;
      default: ;
    endcase
    if (!step) found = too_long ? TooLong : starved ? TooShort : NoProblem;
    if (!in_body || state_q == Report || state_q == Drain) found = NoProblem;
  end
  assign problem = found_q != NoProblem ? found_q : over_bound ? OverBound : NoProblem;
  assign step = enough && !waits && (!needs_token || m_axis.tready);

  assign m_axis.tvalid = needs_token && enough && !waits && problem == NoProblem && !(state_q == Elements && no_unit);
  assign m_axis.tlast = state_q == Finish || state_q == Report;
  assign m_axis.header = header_q;
  assign address_o = address_q;

  always_comb begin
    m_axis.tdata = elements;
    m_axis.tkeep = chunk_keep;
    m_axis.tuser = '{kind: Values, field: now_q.field};
    unique case (state_q)
      Judge: begin
        m_axis.tuser.kind = Count;
        m_axis.tdata = 64'(count_q);
        m_axis.tkeep = 8'h0F;
      end
      Finish: begin
        m_axis.tuser = '{kind: Done, field: '0};
        m_axis.tdata = '0;
        m_axis.tkeep = 8'h01;
      end
      Report: begin
        m_axis.tuser = '{kind: Broken, field: '0};
        m_axis.tdata = 64'(problem_q);
        m_axis.tkeep = 8'h01;
      end
      default: ;
    endcase
  end

  // --- what follows ---------------------------------------------------------------------------------------

  logic read;   // the next instruction
  logic jump;   // it is another one
  logic push, pop, again, once;
  assign once = counts_q[0] == 32'd1;

  always_comb begin
    state = state_q;
    read = 1'b0;
    jump = 1'b0;
    push = 1'b0;
    pop = 1'b0;
    again = 1'b0;
    unique case (state_q)
      Padding: if (final_q) state = Origin;
      Origin, Load: begin
        state = Fetch;
        read = 1'b1;
      end
      Fetch: begin
        unique case (now_q.op)
          OpEnd: state = Finish;
          OpFixed: state = Elements;
          OpRepeat: begin
            push = 1'b1;
            read = 1'b1;
          end
          OpNext: begin
            pop = once;
            read = once;
            again = !once;
            jump = !once;
          end
          default: if (count_slack == '0) state = Judge;
        endcase
      end
      Judge: begin
        state = Elements;
        if (now_q.op == OpRepeatSequence) begin
          push = !none_q;
          jump = none_q;
        end
        if (is_text && none_q) state = Ending;
        else if (now_q.op == OpRepeatSequence ? !none_q : none_q) begin
          state = Fetch;
          read = 1'b1;
        end
      end
      Elements:
        if (final_q) begin
          state = is_text ? Ending : Fetch;
          read = !is_text;
        end
      Ending: begin
        state = Fetch;
        read = 1'b1;
      end
      Finish: state = HeaderLow;
      Report: state = held_last_q ? HeaderLow : Drain;
      default: ;
    endcase
    if (jump) state = Load;
  end

  // How many elements, or repetitions: at least one wherever it counts.
  logic [31:0] amount;
  logic one_beat;
  logic [34:0] less_one;
  assign amount = state_q == Judge ? count_q : now_q.argument;
  assign one_beat = amount <= 32'd8 >> now_q.log_size;
  assign less_one = (35'(amount - 32'd1) << now_q.log_size) | 35'(size_mask);

  always_ff @(posedge walk_clk) begin
    if (step) begin
      place_q <= state_q == Origin ? '0 : place_q + want[2:0];
      if (read) begin
        now_q <= word_i;
        address_q <= address_q + 1'b1;
      end
      if (jump) address_q <= now_q.target;
      if (push) counts_q <= (NESTING * 32)'({counts_q, amount});
      if (pop) counts_q <= (NESTING * 32)'({32'd0, counts_q} >> 32);
      if (again) counts_q[0] <= counts_q[0] - 32'd1;
      if (state_q == Fetch) begin
        count_q <= word - 32'(is_text);
        none_q <= word == 32'(is_text);
      end
    end
    if (state_q == HeaderHigh) address_q <= start_i;
  end

  // The lane is known a step before it is looked at, and so is where it lies: no sum leads to enough.
  logic [2:0] lane;
  always_comb begin
    lane = one_beat ? less_one[2:0] : 3'd7;
    if (state_q == Padding || state_q == Elements) lane = beats_q == 32'd1 ? rest_q : 3'd7;
    if (state_q == HeaderHigh) lane = header_q.pad <= 6'd8 ? 3'(header_q.pad - 6'd1) : 3'd7;
  end

  always_ff @(posedge clk_i) begin
    if (step) begin
      lane_q <= lane;
      chunk_end_q <= 4'(reach[2:0]) + 4'(lane);
      if (state_q == Fetch || state_q == Judge) begin
        {beats_q, rest_q} <= less_one;
        final_q <= one_beat;
      end
      if (state_q == Padding || state_q == Elements) begin
        beats_q <= beats_q - 32'd1;
        final_q <= beats_q == 32'd1;
      end
    end
    if (state_q == HeaderHigh) begin
      {beats_q, rest_q} <= 35'(header_q.pad - 6'd1);
      final_q <= header_q.pad <= 6'd8;
    end
  end

  // --- the frame ------------------------------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    found_q <= rst_i ? NoProblem : found;
  end

  always_ff @(posedge walk_clk) begin
    if (next_valid && state_q == HeaderLow) header_q[63:0] <= next;
    if (next_valid && state_q == HeaderHigh) header_q[127:64] <= next;
    if (in_body && problem != NoProblem) problem_q <= problem;
    if (!in_body && next_valid && next_last) problem_q <= HeaderCut;

    unique case (state_q)
      HeaderLow: if (next_valid) state_q <= next_last ? Report : HeaderHigh;
      HeaderHigh: if (next_valid) state_q <= next_last ? Report : header_q.pad == '0 ? Origin : Padding;
      Drain: if (next_valid && next_last) state_q <= HeaderLow;
      default: begin
        if (problem != NoProblem) state_q <= Report;
        else if (step) state_q <= state;
      end
    endcase
    if (rst_i) state_q <= HeaderLow;
  end

`ifdef FORMAL
  always_comb begin
    if (state_q == Padding || state_q == Elements) assert (chunk_end_q == 4'(at_q) + 4'(lane_q));
  end
`endif
`ifdef LIG_RULES
  lig_axis_rules #(.DATA_WIDTH(64)) rules_s (
      .clk_i, .rst_i, .tvalid(s_axis.tvalid), .tready(s_axis.tready), .tdata(s_axis.tdata),
      .tkeep(s_axis.tkeep), .tlast(s_axis.tlast));
  lig_axis_rules #(.DATA_WIDTH(64), .WHOLE(0)) rules_m (
      .clk_i, .rst_i, .tvalid(m_axis.tvalid), .tready(m_axis.tready), .tdata(m_axis.tdata),
      .tkeep(m_axis.tkeep), .tlast(m_axis.tlast));
`endif
endmodule
