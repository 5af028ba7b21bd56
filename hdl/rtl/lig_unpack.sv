// SPDX-License-Identifier: Apache-2.0
//
// lig_unpack: reads a message's frame, 64 to 512 bits wide, into the values of its fields.
//
// What comes out is a field stream (spec/wire/fields.md): every beat names its field. What the message looks
// like is a program, one word per field, that `ligament` generates from the message's definition: so the same
// module reads every type, and one instance can serve several topics (start_i). The program is outside, as a
// constant or a memory that is read in the same cycle (address_o, word_i).
//
// Two beats of the frame are looked at, the held one and the one behind it, from byte at_q of the held one: each
// step takes up to a beat's bytes. Padding in front of a wide element is a step, and so is a beat of elements; a count is
// two: its bytes, and the judgement. Frames are not trusted: each count is compared with its bound and each byte
// with the end of the frame before it is used. A message that turns out broken ends with a beat of kind Broken, and
// the rest of its frame is dropped.
//
// What a step needs comes from registers: the instruction was read a cycle earlier, how many bytes are still to
// come is kept as beats and a rest, and bytes move only between two beats that are in registers (lig_skid).
//
//   latency              from a message's last beat to Done: 4 cycles
//   initiation interval  1 for a beat of elements or text; 2 for a single value, 3 with a count
//   storage              3 beats, the header, NESTING counts
module lig_unpack
  import lig_fields_pkg::*;
  import lig_stream_pkg::*;
#(
    parameter int unsigned DATA_WIDTH = 64,  // bits of both streams: 64, 128, 256, 512
    parameter int unsigned NESTING = 4,  // sequences of messages within each other, 1..8
    parameter bit LONG = 1'b1  // simulators: messages have fields of many elements
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
  if (DATA_WIDTH != 64 && DATA_WIDTH != 128 && DATA_WIDTH != 256 && DATA_WIDTH != 512) begin : g_rule_data_width
    $fatal(1, "lig_unpack: rule data_width: DATA_WIDTH = %0d, one of 64, 128, 256, 512 is needed", DATA_WIDTH);
  end

  localparam int unsigned K = DATA_WIDTH / 8;  // bytes of a beat
  localparam int unsigned L = $clog2(K);

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

  // Bytes of elements, or of front padding, still to come, less one: K * beats_q + rest_q.
  logic [34-L:0] beats_q;
  logic [L-1:0] rest_q;
  logic final_q;                // beats_q is 0
  logic [L-1:0] lane_q;         // the last lane of one beat of them
  logic [L:0] chunk_end_q;      // at_q + lane_q: that lane from the held beat on, behind it from K on

  // All but the beats stays as it is amidst the elements of a field.
  logic walk_clk;
  if (LONG) begin : g_long
    lig_gate walk (
        .clk_i, .rst_i, .wake_i(state_q != Elements || final_q || found_q != NoProblem), .clk_o(walk_clk));
  end else begin : g_short
    assign walk_clk = clk_i;
  end

  // --- the two beats --------------------------------------------------------------------------------------

  logic next_valid, next_ready, next_last;
  logic [DATA_WIDTH-1:0] next, held_q, from, joined, view;
  logic [K-1:0] next_keep, held_keep_q, from_keep, joined_keep, view_keep;
  logic held_last_q, in_body, follows, ended, empty;
  logic [L-1:0] at_q;
  logic [L:0] want, reach;  // bytes that this step needs, 0..K; where they end
  logic step, leave;

  lig_axis_if #(.DATA_WIDTH(DATA_WIDTH)) arrived ();
  lig_skid #(.DATA_WIDTH(DATA_WIDTH)) beats (.clk_i, .rst_i, .s_axis, .m_axis(arrived));
  assign next_valid = arrived.tvalid;
  assign next = arrived.tdata;
  assign next_keep = arrived.tkeep;
  assign next_last = arrived.tlast;
  assign arrived.tready = next_ready;

  assign in_body = state_q != HeaderLow && state_q != HeaderHigh;
  assign follows = next_valid && !held_last_q;  // what is behind the held beat is of the same frame
  assign empty = !held_keep_q[0];
  assign ended = held_last_q || (next_valid && next_last && !empty);
  assign reach = (L + 1)'(at_q) + want;
  assign leave = step && reach[L];
  // With the message the beat leaves that holds its end.
  assign next_ready = !in_body || state_q == Drain ||
      (!held_last_q && state_q != Report && (leave || empty || (state_q == Finish && step)));

  // Lanes from at_q on are the held beat's, those below come from the next one; then lane at_q becomes lane 0.
  assign from = {DATA_WIDTH{1'b1}} << {at_q, 3'd0};
  assign from_keep = {K{1'b1}} << at_q;
  assign joined = (held_q & from) | (next & ~from);
  assign joined_keep = (held_keep_q & from_keep) | (follows ? next_keep & ~from_keep : '0);
  always_comb begin
    view = joined;
    for (int unsigned i = 0; i < L; i++) begin
      if (at_q[i]) view = (view >> (8 << i)) | (view << (DATA_WIDTH - (8 << i)));
    end
  end
  assign view_keep = K'({joined_keep, joined_keep} >> at_q);

  always_ff @(posedge clk_i) begin
    if (next_ready) held_q <= next;
    if (next_ready && next_valid) held_last_q <= next_last;
    if (!in_body) begin
      held_keep_q <= '0;
      at_q <= '0;
    end else begin
      if (next_ready && next_valid) held_keep_q <= next_keep;
      else if (leave) held_keep_q <= '0;
      if (step) at_q <= reach[L-1:0];
    end
  end

  // The header has two beats at 64 bits, and one of its own at all other widths.
  localparam bit Wide = DATA_WIDTH > 64;
  localparam state_e HeaderEnd = Wide ? HeaderLow : HeaderHigh;
  header_t header;
  logic [5:0] pad;
  if (Wide) begin : g_wide
    assign header = next[127:0];
    assign pad = header.pad;
  end else begin : g_narrow
    assign header = state_q == HeaderLow ? {header_q[127:64], next} : {next, header_q[63:0]};
    assign pad = header_q.pad;
  end

  // --- one step -------------------------------------------------------------------------------------------

  logic [31:0] word;
  logic [2:0] size_mask, slack, count_slack;  // bytes to the next multiple of the element's size, of a count's
  logic is_count, is_text, is_wide, padded, enough, in_view, starved, needs_token, waits;
  logic [K-1:0] chunk_keep;
  logic [DATA_WIDTH-1:0] elements;

  assign word = view[31:0];
  assign is_count = now_q.op inside {OpSequence, OpString, OpWideString, OpRepeatSequence};
  assign is_text = now_q.op == OpString;
  assign is_wide = now_q.op == OpWideString;
  assign padded = (now_q.op == OpSequence || is_wide) && !none_q;  // to the first element
  assign size_mask = 3'((4'd1 << now_q.log_size) - 4'd1);
  assign slack = (3'd0 - place_q) & size_mask;
  assign count_slack = {1'b0, 2'd0 - place_q[1:0]};
  assign chunk_keep = ~({{(K - 1){1'b1}}, 1'b0} << lane_q);

  // A bool is 0 or 1 in the field stream, whatever its byte was.
  always_comb begin
    elements = view & ~({{(DATA_WIDTH - 8){1'b1}}, 8'd0} << {lane_q, 3'd0});
    if (now_q.is_bool) begin
      for (int unsigned i = 0; i < K; i++) elements[8*i+:8] = {7'd0, |elements[8*i+:8]};
    end
  end

  // Elements follow padding: whether the frame has that much is asked of them.
  assign in_view = view_keep[7] || ended;

  // What the step needs, whether that is there, and whether it speaks.
  always_comb begin
    want = '0;
    enough = 1'b1;
    needs_token = 1'b0;
    unique case (state_q)
      Padding, Elements: begin
        want = (L + 1)'(lane_q) + 1'b1;
        enough = chunk_end_q[L] ? follows && next_keep[chunk_end_q[L-1:0]] : held_keep_q[chunk_end_q[L-1:0]];
        needs_token = state_q == Elements;
      end
      Origin: begin
        want = (L + 1)'(4);
        enough = view_keep[3];
      end
      Fetch: begin
        if (is_count) begin
          want = count_slack != '0 ? (L + 1)'(count_slack) : (L + 1)'(4);
          enough = view_keep[L'({1'b0, ~place_q[1:0]})];
        end else if (now_q.op == OpFixed) begin
          want = (L + 1)'(slack);
          enough = in_view;
        end
      end
      Judge: begin
        if (padded) begin
          want = (L + 1)'(slack);
          enough = in_view;
        end
        needs_token = 1'b1;
      end
      Ending: begin
        want = (L + 1)'(1);
        enough = view_keep[0];
      end
      Finish, Report: needs_token = 1'b1;
      default: ;
    endcase
  end

  logic over_bound, no_unit, too_long, wild;
  assign starved = !enough && ended;
  assign over_bound = state_q == Judge && count_q > now_q.argument;
  // A unit of wide text above 0xFFFF; of what is kept.
  always_comb begin
    wild = 1'b0;
    for (int unsigned i = 0; i < K / 4; i++) wild = wild || (chunk_keep[4*i+3] && |view[32*i+16+:16]);
  end
  assign no_unit = is_wide && wild;
  // A message is done when nothing but padding to a multiple of 4 is behind it.
  assign too_long = state_q == Finish && view_keep[3];
  assign waits = too_long || (state_q == Finish && !ended);

  // What is wrong with the bytes is acted upon a cycle later, before anything but elements could be said of them: so
  // no path leads through the bytes, the judgement and the state. What is wrong is no part of the step either: of a
  // broken message it does not matter what is taken.
  always_comb begin
    found = NoProblem;
    unique case (state_q)
      Origin: if (view[15:0] != 16'h0100) found = header_q.kind == KindNoResponse ? Refused : Encapsulation;
      Fetch: if (is_text && count_slack == '0 && word == '0) found = BadText;
      Elements: if (no_unit) found = BadText;
      Ending: if (view[7:0] != '0) found = BadText;
      default: ;
    endcase
    if (!step) found = too_long ? TooLong : starved ? TooShort : NoProblem;
    // The first one is told: what is wrong behind it may be so because of it.
    if (!in_body || state_q == Report || state_q == Drain || found_q != NoProblem) found = NoProblem;
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
        m_axis.tdata = DATA_WIDTH'(count_q);
        m_axis.tkeep = K'(8'h0F);
      end
      Finish: begin
        m_axis.tuser = '{kind: Done, field: '0};
        m_axis.tdata = '0;
        m_axis.tkeep = K'(8'h01);
      end
      Report: begin
        m_axis.tuser = '{kind: Broken, field: '0};
        m_axis.tdata = DATA_WIDTH'(problem_q);
        m_axis.tkeep = K'(8'h01);
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
  assign one_beat = amount <= 32'(K) >> now_q.log_size;
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
    if (state_q == HeaderEnd) address_q <= start_i;
  end

  // The lane is known a step before it is looked at, and so is where it lies: no sum leads to enough.
  logic [L-1:0] lane;
  always_comb begin
    lane = one_beat ? less_one[L-1:0] : '1;
    if (state_q == Padding || state_q == Elements) lane = beats_q == 1 ? rest_q : '1;
    if (state_q == HeaderEnd) lane = 7'(pad) <= 7'(K) ? L'(pad - 6'd1) : '1;
  end

  always_ff @(posedge clk_i) begin
    if (step) begin
      lane_q <= lane;
      chunk_end_q <= (L + 1)'(reach[L-1:0]) + (L + 1)'(lane);
      if (state_q == Fetch || state_q == Judge) begin
        {beats_q, rest_q} <= less_one;
        final_q <= one_beat;
      end
      if (state_q == Padding || state_q == Elements) begin
        beats_q <= beats_q - 1'b1;
        final_q <= beats_q == 1;
      end
    end
    if (state_q == HeaderEnd) begin
      {beats_q, rest_q} <= 35'(pad - 6'd1);
      final_q <= 7'(pad) <= 7'(K);
    end
  end

  // --- the frame ------------------------------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    found_q <= rst_i ? NoProblem : found;
  end

  always_ff @(posedge walk_clk) begin
    if (next_valid && !in_body) header_q <= header;
    if (in_body && problem != NoProblem) problem_q <= problem;
    if (!in_body && next_valid && next_last) problem_q <= HeaderCut;

    unique case (state_q)
      HeaderLow: if (next_valid) state_q <= next_last ? Report : Wide ? pad == '0 ? Origin : Padding : HeaderHigh;
      HeaderHigh: if (next_valid) state_q <= next_last ? Report : pad == '0 ? Origin : Padding;
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
    if (state_q == Padding || state_q == Elements) assert (chunk_end_q == (L + 1)'(at_q) + (L + 1)'(lane_q));
  end
`endif
`ifdef LIG_RULES
  lig_axis_rules #(.DATA_WIDTH(DATA_WIDTH)) rules_s (
      .clk_i, .rst_i, .tvalid(s_axis.tvalid), .tready(s_axis.tready), .tdata(s_axis.tdata),
      .tkeep(s_axis.tkeep), .tlast(s_axis.tlast));
  lig_axis_rules #(.DATA_WIDTH(DATA_WIDTH), .WHOLE(0)) rules_m (
      .clk_i, .rst_i, .tvalid(m_axis.tvalid), .tready(m_axis.tready), .tdata(m_axis.tdata),
      .tkeep(m_axis.tkeep), .tlast(m_axis.tlast));
`endif
endmodule
