// SPDX-License-Identifier: Apache-2.0
//
// lig_unpack: reads a message's frame, 64 bits wide, into the values of its fields.
//
// What comes out is a field stream (spec/wire/fields.md): every beat names its field. What the message looks
// like is a program, one word per field, that `ligament` generates from the message's definition: so the same
// module reads every type, and one instance can serve several topics (start_i). The program is outside, as a
// constant or a memory that is read in the same cycle (address_o, word_i).
//
// Bytes wait in a window of two beats, from which each step takes 0 to 8 at any offset: padding in front of a
// wide element is a step, a count is one, and so are 8 bytes of elements. Frames are not trusted: each count is
// compared with its bound and each byte with the end of the frame before it is used. A message that turns out
// broken ends with a beat of kind Broken, and the rest of its frame is dropped.
//
//   latency              from a message's last beat to Done: 3 cycles
//   initiation interval  1 for 8 bytes of elements or text; 2 for a single value, 3 with a count
//   storage              2 beats, the header, NESTING counts
//
// Wider streams: lig_width in front.
module lig_unpack
  import lig_fields_pkg::*;
  import lig_stream_pkg::*;
#(
    parameter int unsigned NESTING = 4  // sequences of messages within each other, 1..8
) (
    input logic clk_i,
    input logic rst_i, // synchronous, high

    input  logic        s_axis_tvalid,
    output logic        s_axis_tready,
    input  logic [63:0] s_axis_tdata,
    input  logic [7:0]  s_axis_tkeep,
    input  logic        s_axis_tlast,

    output logic        m_axis_tvalid,
    input  logic        m_axis_tready,
    output logic [63:0] m_axis_tdata,
    output logic [7:0]  m_axis_tkeep,
    output token_t      m_axis_tuser,
    output logic        m_axis_tlast,  // of the message
    output header_t     header_o,      // of the message whose fields come

    input  logic [11:0]  start_i,    // where the program begins; read when a frame's header is complete
    output logic [11:0]  address_o,
    input  instruction_t word_i      // the program at address_o, in the same cycle
);
  if (NESTING < 1 || NESTING > 8) begin : g_rule_nesting
    $fatal(1, "lig_unpack: rule nesting: NESTING = %0d, 1..8 is needed", NESTING);
  end

  typedef enum logic [3:0] {
    HeaderLow, HeaderHigh, Padding, Origin, Fetch, Align, Elements, Ending, Finish, Report, Drain
  } state_e;

  state_e state_q, state;
  problem_e problem_q, problem;
  header_t header_q;
  logic [11:0] address_q, address;
  logic [2:0] place_q;          // position in the message, modulo 8
  logic [34:0] left_q, left;    // bytes of elements, or of front padding, still to come
  logic [NESTING-1:0][31:0] counts_q;  // what is being repeated, innermost in place 0

  // --- the window -----------------------------------------------------------------------------------------

  logic [127:0] window_q;
  logic [4:0] have_q;
  logic [3:0] take;   // 0..8 bytes leave
  logic ended_q;      // the frame's last beat is in
  logic in_body, accept;
  logic [4:0] rest, fresh;

  assign in_body = state_q != HeaderLow && state_q != HeaderHigh;
  assign rest = have_q - 5'(take);
  assign s_axis_tready = !in_body || state_q == Drain || (!ended_q && rest <= 5'd8);
  assign accept = in_body && state_q != Drain && s_axis_tvalid && s_axis_tready;

  always_comb begin
    fresh = 5'd0;
    for (int unsigned i = 0; i < 8; i++) fresh = fresh + 5'(s_axis_tkeep[i]);
  end

  always_ff @(posedge clk_i) begin
    if (rst_i || !in_body || state_q == Drain) begin
      window_q <= '0;
      have_q <= '0;
    end else begin
      window_q <= (window_q >> {take, 3'd0}) | (accept ? 128'(s_axis_tdata) << {rest, 3'd0} : '0);
      have_q <= rest + (accept ? fresh : 5'd0);
    end
    if (s_axis_tvalid && s_axis_tready) ended_q <= s_axis_tlast;
  end

  // --- one step -------------------------------------------------------------------------------------------

  logic [31:0] word;
  logic [2:0] size_mask, slack;  // of the element; bytes to its next multiple
  logic [3:0] want;              // bytes that this step needs
  logic [3:0] chunk;             // bytes of elements in one beat
  logic starved, step, needs_token, is_count, is_wide, text_end;
  logic [7:0] chunk_keep;
  logic [63:0] elements;

  assign word = window_q[31:0];
  assign is_count = word_i.op inside {OpSequence, OpString, OpWideString, OpRepeatSequence};
  assign is_wide = word_i.op == OpWideString;
  assign size_mask = state_q == Fetch && is_count ? 3'd3 : 3'((4'd1 << word_i.log_size) - 4'd1);
  assign slack = (3'd0 - place_q) & size_mask;
  assign chunk = left_q >= 35'd8 ? 4'd8 : left_q[3:0];
  assign chunk_keep = ~(8'hFF << chunk);

  // A bool is 0 or 1 in the field stream, whatever its byte was.
  always_comb begin
    elements = '0;
    if (state_q == Elements) begin  // simulators need not compute them otherwise
      for (int unsigned i = 0; i < 8; i++) begin
        if (chunk_keep[i]) elements[8*i+:8] = word_i.is_bool ? {7'd0, |window_q[8*i+:8]} : window_q[8*i+:8];
      end
    end
  end

  // What the step needs of the window, and whether it speaks.
  always_comb begin
    want = 4'd0;
    needs_token = 1'b0;
    unique case (state_q)
      Padding, Elements: begin
        want = chunk;
        needs_token = state_q == Elements;
      end
      Origin: want = 4'd4;
      Fetch: begin
        if (is_count) begin
          want = slack != '0 ? 4'(slack) : 4'd4;
          needs_token = slack == '0;
        end else if (word_i.op == OpFixed) begin
          want = 4'(slack);
        end
      end
      Align: want = 4'(slack);
      Ending: want = 4'd1;
      Finish, Report: needs_token = 1'b1;
      default: ;
    endcase
  end

  logic over_bound, no_text, wide_unit, one_more;
  // A text's count has its NUL in it. one_more is word == argument + 1, whose sum with ~argument is 0: found without
  // an adder in front of the comparison.
  assign one_more = (word ^ ~word_i.argument) == {word[30:0] | ~word_i.argument[30:0], 1'b0};
  assign over_bound = word > word_i.argument && !(word_i.op == OpString && one_more);
  assign no_text = word_i.op == OpString && word == '0;
  assign wide_unit = is_wide && (|window_q[31:16] || (chunk_keep[7] && |window_q[63:48]));
  assign text_end = window_q[7:0] == '0;
  assign starved = have_q < 5'(want) && ended_q && state_q != Report;

  // What is wrong with the bytes that this step takes; bounds apart, which are compared late in the cycle.
  logic counts_now, too_many;
  problem_e other;
  assign counts_now = state_q == Fetch && is_count && slack == '0 && have_q >= 5'd4;
  assign too_many = counts_now && over_bound;
  always_comb begin
    other = NoProblem;
    if (starved) other = TooShort;
    else if (have_q >= 5'(want)) begin
      unique case (state_q)
        Origin: if (window_q[15:0] != 16'h0100) other = Encapsulation;
        Fetch: if (is_count && slack == '0 && no_text) other = BadText;
        Elements: if (wide_unit) other = BadText;
        Ending: if (!text_end) other = BadText;
        Finish: if (have_q > 5'd3) other = TooLong;
        default: ;
      endcase
    end
    problem = too_many ? OverBound : other;
  end

  // A message is done when nothing but padding to a multiple of 4 is behind it.
  logic ready_to_finish, speaks;
  assign ready_to_finish = state_q != Finish || ended_q;
  assign speaks = needs_token && have_q >= 5'(want) && ready_to_finish && other == NoProblem && !too_many;
  // What is wrong is no part of the step: of a broken message it does not matter what is taken, and bounds are
  // compared late in the cycle.
  assign step = have_q >= 5'(want) && ready_to_finish && (!needs_token || m_axis_tready);
  assign take = step && state_q != Finish && state_q != Report ? want : 4'd0;

  assign m_axis_tvalid = speaks;
  assign m_axis_tlast = state_q == Finish || state_q == Report;
  assign header_o = header_q;
  assign address_o = address_q;

  always_comb begin
    m_axis_tdata = elements;
    m_axis_tkeep = chunk_keep;
    m_axis_tuser = '{kind: Values, field: word_i.field};
    unique case (state_q)
      Fetch: begin
        m_axis_tuser.kind = Count;
        m_axis_tdata = word_i.op == OpString ? 64'(word - 32'd1) : 64'(word);
        m_axis_tkeep = 8'h0F;
      end
      Finish: begin
        m_axis_tuser = '{kind: Done, field: '0};
        m_axis_tdata = '0;
        m_axis_tkeep = 8'h01;
      end
      Report: begin
        m_axis_tuser = '{kind: Broken, field: '0};
        m_axis_tdata = 64'(problem_q);
        m_axis_tkeep = 8'h01;
      end
      default: ;
    endcase
  end

  // --- what follows ---------------------------------------------------------------------------------------

  logic [34:0] bytes;
  assign bytes = 35'(word_i.op == OpFixed ? word_i.argument : word) << word_i.log_size;

  always_comb begin
    state = state_q;
    address = address_q;
    left = left_q;
    unique case (state_q)
      Padding: begin
        left = left_q - 35'(chunk);
        if (left_q <= 35'd8) state = Origin;
      end
      Origin: state = Fetch;
      Fetch: begin
        unique case (word_i.op)
          OpEnd: state = Finish;
          OpFixed: begin
            left = bytes;
            state = Elements;
          end
          OpSequence, OpWideString: begin
            if (slack == '0) begin
              left = bytes;
              if (word != '0) state = Align;
              else address = address_q + 1'b1;
            end
          end
          OpString: begin
            if (slack == '0) begin
              left = bytes - 35'd1;
              state = word == 32'd1 ? Ending : Elements;
            end
          end
          OpRepeat: address = address_q + 1'b1;
          OpRepeatSequence: if (slack == '0) address = word == '0 ? word_i.target : address_q + 1'b1;
          OpNext: address = counts_q[0] == 32'd1 ? address_q + 1'b1 : word_i.target;
          default: ;
        endcase
      end
      Align: state = Elements;
      Elements: begin
        left = left_q - 35'(chunk);
        if (left_q <= 35'd8) begin
          state = word_i.op == OpString ? Ending : Fetch;
          if (word_i.op != OpString) address = address_q + 1'b1;
        end
      end
      Ending: begin
        state = Fetch;
        address = address_q + 1'b1;
      end
      Finish: state = HeaderLow;
      Report: state = ended_q ? HeaderLow : Drain;
      default: ;
    endcase
  end

  logic push, pop, again;
  assign push = state_q == Fetch &&
      (word_i.op == OpRepeat || (word_i.op == OpRepeatSequence && slack == '0 && word != '0));
  assign pop = state_q == Fetch && word_i.op == OpNext && counts_q[0] == 32'd1;
  assign again = state_q == Fetch && word_i.op == OpNext && counts_q[0] != 32'd1;

  logic [31:0] times;
  assign times = word_i.op == OpRepeat ? word_i.argument : word;

  always_ff @(posedge clk_i) begin
    if (step) begin
      place_q <= place_q + take[2:0];
      if (push) counts_q <= (NESTING * 32)'({counts_q, times});
      if (pop) counts_q <= (NESTING * 32)'({32'd0, counts_q} >> 32);
      if (again) counts_q[0] <= counts_q[0] - 32'd1;
      if (state_q == Origin) place_q <= '0;
    end
  end

  // --- the frame ------------------------------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (s_axis_tvalid && state_q == HeaderLow) header_q[63:0] <= s_axis_tdata;
    if (s_axis_tvalid && state_q == HeaderHigh) header_q[127:64] <= s_axis_tdata;
    if (in_body && problem != NoProblem) problem_q <= problem;
    if (!in_body && s_axis_tvalid && s_axis_tlast) problem_q <= HeaderCut;

    unique case (state_q)
      HeaderLow: if (s_axis_tvalid) state_q <= s_axis_tlast ? Report : HeaderHigh;
      HeaderHigh: begin
        address_q <= start_i;
        left_q <= 35'(header_q.pad);
        if (s_axis_tvalid) state_q <= s_axis_tlast ? Report : header_q.pad == '0 ? Origin : Padding;
      end
      Drain: if (s_axis_tvalid && s_axis_tlast) state_q <= HeaderLow;
      default: begin
        if (problem != NoProblem) state_q <= Report;
        else if (step) begin
          state_q <= state;
          address_q <= address;
          left_q <= left;
        end
      end
    endcase
    if (rst_i) state_q <= HeaderLow;
  end

`ifdef LIG_RULES
  lig_axis_rules #(.DATA_WIDTH(64)) rules_s (
      .clk_i, .rst_i, .tvalid(s_axis_tvalid), .tready(s_axis_tready), .tdata(s_axis_tdata),
      .tkeep(s_axis_tkeep), .tlast(s_axis_tlast));
  lig_axis_rules #(.DATA_WIDTH(64), .WHOLE(0)) rules_m (
      .clk_i, .rst_i, .tvalid(m_axis_tvalid), .tready(m_axis_tready), .tdata(m_axis_tdata),
      .tkeep(m_axis_tkeep), .tlast(m_axis_tlast));
`endif
endmodule
