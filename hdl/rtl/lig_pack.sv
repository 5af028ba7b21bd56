// SPDX-License-Identifier: Apache-2.0
//
// lig_pack: writes the frame of a message, 64 bits wide, from the values of its fields.
//
// The counterpart of lig_unpack: a field stream comes in (spec/wire/fields.md), in the order of the message's
// layout program, and a frame leaves whose body is the stored message: alignment, encapsulation, lengths and
// terminators are written here. The length is in the header, which leaves first, so the node says it before
// (header_i, as the shape of a loan does; the generated packages have it as a constant or a function).
//
// A node that breaks the order, a bound or its own announced length ends the frame at once: it is then shorter
// than its header says, which every receiver finds (lig_length), or a byte longer where it was complete already;
// problem_o says what was wrong, for one cycle. What is left of the field stream's message is dropped. A Broken beat ends
// the frame likewise.
//
//   latency              header beats + 1 cycle
//   initiation interval  1 for 8 bytes of elements or text; 2 for a single value, 3 with a count
//   storage              2 beats, NESTING counts
module lig_pack
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
    input  token_t      s_axis_tuser,
    input  logic        s_axis_tlast,  // of the message
    input  header_t     header_i,      // of the message whose first beat is offered

    output logic        m_axis_tvalid,
    input  logic        m_axis_tready,
    output logic [63:0] m_axis_tdata,
    output logic [7:0]  m_axis_tkeep,
    output logic        m_axis_tlast,

    output problem_e problem_o,  // one cycle

    input  logic [11:0]  start_i,    // where the program begins; read with header_i
    output logic [11:0]  address_o,
    input  instruction_t word_i      // the program at address_o, in the same cycle
);
  if (NESTING < 1 || NESTING > 8) begin : g_rule_nesting
    $fatal(1, "lig_pack: rule nesting: NESTING = %0d, 1..8 is needed", NESTING);
  end

  typedef enum logic [3:0] {
    Idle, HeaderLow, HeaderHigh, Padding, Origin, Fetch, Align, Elements, Ending, Flush, Discard
  } state_e;

  state_e state_q, state;
  header_t header_q;
  logic [11:0] address_q, address;
  logic [2:0] place_q;        // position in the message, modulo 8
  logic [34:0] left_q, left;  // bytes of elements, or of front padding, still to come
  logic [31:0] length_q;      // bytes of the message so far
  logic [NESTING-1:0][31:0] counts_q;
  logic discard_q;            // the field stream's message is not over

  // --- the window -----------------------------------------------------------------------------------------

  logic [127:0] window_q, window;
  logic [4:0] have_q, kept;
  logic [63:0] put;   // bytes 0..n-1 of what comes in
  logic [3:0] n;      // 0..8
  logic pop, room;
  logic moves;        // something is written, if it is not wrong
  logic step;         // something is written
  logic spoil;        // a frame that is complete, but not to be believed, gets a byte more

  // A full beat leaves only when it is known whether it is the last.
  assign m_axis_tvalid = have_q > 5'd8 || (state_q == Flush && have_q != '0);
  assign m_axis_tlast = state_q == Flush && have_q <= 5'd8;
  assign m_axis_tdata = window_q[63:0];
  assign m_axis_tkeep = m_axis_tlast ? ~(8'hFF << have_q[3:0]) : 8'hFF;
  assign pop = m_axis_tvalid && m_axis_tready;
  assign window = pop ? window_q >> 64 : window_q;
  assign kept = !pop ? have_q : have_q > 5'd8 ? have_q - 5'd8 : '0;
  assign room = kept <= 5'd8;

  always_ff @(posedge clk_i) begin
    window_q <= window;
    have_q <= kept;
    // What is wrong is known late in the cycle: it does not count (have_q), and so it does not matter that it is here.
    if (moves) window_q <= window | (128'(put & mask_of(n)) << {kept, 3'd0});
    if (step) have_q <= kept + 5'(n);
    if (spoil) have_q <= kept + 5'd1;
    if (rst_i || state_q == Idle) begin
      window_q <= '0;
      have_q <= '0;
    end
  end

  function automatic logic [63:0] mask_of(input logic [3:0] bytes);
    logic [63:0] mask;
    for (int unsigned i = 0; i < 8; i++) mask[8*i+:8] = {8{4'(i) < bytes}};
    return mask;
  endfunction

  // --- one step -------------------------------------------------------------------------------------------

  logic is_count, listens, named, text_ok;
  logic [2:0] size_mask, slack;
  logic [3:0] chunk, offered;
  logic [31:0] word;
  logic [63:0] elements;
  problem_e problem;

  assign word = s_axis_tdata[31:0];
  assign is_count = word_i.op inside {OpSequence, OpString, OpWideString, OpRepeatSequence};
  assign size_mask = state_q == Fetch && is_count ? 3'd3 : 3'((4'd1 << word_i.log_size) - 4'd1);
  assign slack = (3'd0 - place_q) & size_mask;
  assign chunk = left_q >= 35'd8 ? 4'd8 : left_q[3:0];
  assign text_ok = word_i.op != OpWideString || !(|s_axis_tdata[31:16] || (s_axis_tkeep[7] && |s_axis_tdata[63:48]));

  always_comb begin
    offered = 4'd0;
    for (int unsigned i = 0; i < 8; i++) offered = offered + 4'(s_axis_tkeep[i]);
    elements = s_axis_tdata;
    for (int unsigned i = 0; i < 8; i++) begin
      if (word_i.is_bool) elements[8*i+:8] = {7'd0, |s_axis_tdata[8*i+:8]};
    end
  end

  // What the step writes, and whether it waits for a beat of the field stream.
  always_comb begin
    put = '0;
    n = 4'd0;
    listens = 1'b0;
    unique case (state_q)
      HeaderLow, HeaderHigh: begin
        put = state_q == HeaderLow ? header_q[63:0] : header_q[127:64];
        n = 4'd8;
      end
      Padding: n = chunk;
      Origin: begin
        put = 64'h0100;
        n = 4'd4;
      end
      Fetch: begin
        if (slack != '0 && (is_count || word_i.op == OpFixed)) n = 4'(slack);
        else if (is_count) begin
          put = word_i.op == OpString ? 64'(word + 32'd1) : 64'(word);
          n = 4'd4;
          listens = 1'b1;
        end else if (word_i.op == OpEnd) listens = 1'b1;
      end
      Align: n = 4'(slack);
      Elements: begin
        put = elements;
        n = offered;
        listens = 1'b1;
      end
      Ending: n = 4'd1;
      default: ;
    endcase
  end

  // What is wrong with the beat that it waited for.
  kind_e expected;
  assign expected = state_q == Elements ? Values : is_count ? Count : Done;
  assign named = s_axis_tuser.kind == expected && (expected == Done || s_axis_tuser.field == word_i.field);

  always_comb begin
    problem = NoProblem;
    if (listens && s_axis_tvalid && s_axis_tuser.kind != Broken) begin
      if (!named || (s_axis_tlast != (expected == Done))) problem = WrongField;
      else if (state_q == Elements && (35'(offered) > left_q || offered == '0)) problem = WrongField;
      else if (state_q == Elements && !text_ok) problem = BadText;
      else if (expected == Count && (word > word_i.argument || s_axis_tdata[63:32] != '0)) problem = OverBound;
      else if (expected == Done && length_q != header_q.length) problem = WrongLength;
    end
  end

  logic cut, writing;
  assign writing = !(state_q inside {Idle, Flush, Discard});
  assign cut = problem != NoProblem || (listens && s_axis_tvalid && s_axis_tuser.kind == Broken);
  assign moves = writing && room && (!listens || s_axis_tvalid);
  assign step = moves && !cut;
  assign spoil = writing && room && cut && length_q == header_q.length;
  // A beat that cuts the frame short is taken too, and so is all behind it to the end of its message. Of a
  // message that was broken before its first field nothing is sent.
  logic stillborn;
  assign stillborn = state_q == Idle && s_axis_tuser.kind == Broken;
  assign s_axis_tready = state_q == Discard || stillborn || (listens && room);
  assign address_o = address_q;

  always_ff @(posedge clk_i) begin
    problem_o <= listens && room ? problem : NoProblem;
    if (rst_i) problem_o <= NoProblem;
  end

  // --- what follows ---------------------------------------------------------------------------------------

  always_comb begin
    state = state_q;
    address = address_q;
    left = left_q;
    unique case (state_q)
      HeaderLow: state = HeaderHigh;
      HeaderHigh: begin
        left = 35'(header_q.pad);
        state = header_q.pad == '0 ? Origin : Padding;
      end
      Padding: begin
        left = left_q - 35'(chunk);
        if (left_q <= 35'd8) state = Origin;
      end
      Origin: state = Fetch;
      Fetch: begin
        unique case (word_i.op)
          OpEnd: state = Flush;
          OpFixed: begin
            left = 35'(word_i.argument) << word_i.log_size;
            state = Elements;
          end
          OpSequence, OpWideString: begin
            if (slack == '0) begin
              left = 35'(word) << word_i.log_size;
              if (word != '0) state = Align;
              else address = address_q + 1'b1;
            end
          end
          OpString: begin
            if (slack == '0) begin
              left = 35'(word);
              state = word == '0 ? Ending : Elements;
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
        left = left_q - 35'(offered);
        if (left_q == 35'(offered)) begin
          state = word_i.op == OpString ? Ending : Fetch;
          if (word_i.op != OpString) address = address_q + 1'b1;
        end
      end
      Ending: begin
        state = Fetch;
        address = address_q + 1'b1;
      end
      default: ;
    endcase
  end

  logic push, drop, again, in_message;
  assign push = state_q == Fetch &&
      (word_i.op == OpRepeat || (word_i.op == OpRepeatSequence && slack == '0 && word != '0));
  assign drop = state_q == Fetch && word_i.op == OpNext && counts_q[0] == 32'd1;
  assign again = state_q == Fetch && word_i.op == OpNext && counts_q[0] != 32'd1;
  assign in_message = state_q inside {Origin, Fetch, Align, Elements, Ending};

  logic [31:0] times;
  assign times = word_i.op == OpRepeat ? word_i.argument : word;

  // None of these matters for a frame that ends here because its beat was wrong.
  always_ff @(posedge clk_i) begin
    if (moves) begin
      place_q <= place_q + n[2:0];
      if (in_message) length_q <= length_q + 32'(n);
      if (push) counts_q <= (NESTING * 32)'({counts_q, times});
      if (drop) counts_q <= (NESTING * 32)'({32'd0, counts_q} >> 32);
      if (again) counts_q[0] <= counts_q[0] - 32'd1;
      if (state_q == Origin) place_q <= '0;
    end
    if (state_q == Idle) length_q <= '0;
  end

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Idle: begin
        header_q <= header_i;
        address_q <= start_i;
        discard_q <= 1'b0;
        if (s_axis_tvalid && !stillborn) state_q <= HeaderLow;
      end
      Flush: if (have_q == '0 || (pop && m_axis_tlast)) state_q <= discard_q ? Discard : Idle;
      Discard: if (s_axis_tvalid && s_axis_tlast) state_q <= Idle;
      default: begin
        if (moves) begin
          state_q <= state;
          address_q <= address;
          left_q <= left;
        end
        if (cut && room) begin
          state_q <= Flush;
          discard_q <= !s_axis_tlast;
        end
      end
    endcase
    if (rst_i) state_q <= Idle;
  end

`ifdef LIG_RULES
  lig_axis_rules #(.DATA_WIDTH(64), .WHOLE(0)) rules_s (
      .clk_i, .rst_i, .tvalid(s_axis_tvalid), .tready(s_axis_tready), .tdata(s_axis_tdata),
      .tkeep(s_axis_tkeep), .tlast(s_axis_tlast));
  lig_axis_rules #(.DATA_WIDTH(64)) rules_m (
      .clk_i, .rst_i, .tvalid(m_axis_tvalid), .tready(m_axis_tready), .tdata(m_axis_tdata),
      .tkeep(m_axis_tkeep), .tlast(m_axis_tlast));
`endif
endmodule
