// SPDX-License-Identifier: Apache-2.0
//
// lig_pack: writes the frame of a message, 64 to 512 bits wide, from the values of its fields.
//
// The counterpart of lig_unpack: a field stream comes in (spec/wire/fields.md), in the order of the message's
// layout program, and a frame leaves whose body is the stored message: alignment, encapsulation, lengths and
// terminators are written here. The length is in the header, which leaves first, so the node says it before
// (s_axis.header, as the shape of a loan does; the generated packages have it as a constant or a function).
//
// Two stages. The first walks the program: it says which bytes come next, up to a beat of them, and whether what the node said is
// in order. The second puts them behind those that are held, and sends a beat when it has more than one: only then
// is it known not to be the last. All stops together when lig_skid at the end has no room.
//
// A node that breaks the order, a bound or its own announced length ends the frame at once: it is then shorter
// than its header says, which every receiver finds (lig_length), or a byte longer where it was complete already;
// problem_o says what was wrong, for one cycle. What is left of the field stream's message is dropped. A Broken beat ends
// the frame likewise. Of a message that is a Broken beat alone no frame leaves; with REFUSALS, where it says more than
// that there is Nothing, one does whose kind says that there is no message: who joins this topic's messages with
// another's needs one for each.
//
//   latency              header beats + 2 cycles
//   initiation interval  1 for a beat of elements or text; 2 for a single value, 3 with a count
//   storage              4 beats, NESTING counts
module lig_pack
  import lig_fields_pkg::*;
  import lig_stream_pkg::*;
#(
    parameter int unsigned DATA_WIDTH = 64,  // bits of both streams: 64, 128, 256, 512
    parameter int unsigned NESTING = 4,  // sequences of messages within each other, 1..8
    parameter bit REFUSALS = 1'b0,       // a frame leaves of a message that is refused before its first field, too
    parameter bit LONG = 1'b1            // simulators: messages have fields of many elements
) (
    input logic clk_i, rst_i,  // reset: synchronous, high

    lig_fields_if.receiver s_axis,
    lig_axis_if.transmitter m_axis,

    output problem_e problem_o,  // one cycle

    input  logic [11:0]  start_i,    // where the program begins; read with s_axis.header
    output logic [11:0]  address_o,
    input  instruction_t word_i      // the program at address_o, in the same cycle
);
  if (NESTING < 1 || NESTING > 8) begin : g_rule_nesting
    $fatal(1, "lig_pack: rule nesting: NESTING = %0d, 1..8 is needed", NESTING);
  end
  if (DATA_WIDTH != 64 && DATA_WIDTH != 128 && DATA_WIDTH != 256 && DATA_WIDTH != 512) begin : g_rule_data_width
    $fatal(1, "lig_pack: rule data_width: DATA_WIDTH = %0d, one of 64, 128, 256, 512 is needed", DATA_WIDTH);
  end

  localparam int unsigned K = DATA_WIDTH / 8;  // bytes of a beat
  localparam int unsigned L = $clog2(K);
  localparam bit Wide = DATA_WIDTH > 64;       // the header has one beat, and not two

  typedef enum logic [3:0] {
    Idle, HeaderLow, HeaderHigh, Padding, Origin, Load, Fetch, Judge, Elements, Ending, Cut, Flush, Discard
  } state_e;

  state_e state_q, state;
  instruction_t now_q;          // the instruction that is walked
  logic [11:0] address_q;       // of the one behind it
  logic [2:0] place_q;          // position in the message, modulo 8
  logic [31:0] missing_q;       // of the announced bytes
  logic complete_q;             // none was missing in front of the last step
  logic [31:0] count_q;         // as it was said: of a text without its NUL
  logic none_q, vast_q;         // it is 0; it has more than 32 bits
  logic [NESTING-1:0][31:0] counts_q;  // what is being repeated, innermost in place 0
  logic discard_q;              // the field stream's message is not over
  logic refused_q;              // there is none: the frame says so

  // Bytes of elements, or of front padding, still to come, less one: K * beats_q + rest_q.
  logic [34-L:0] beats_q;
  logic [L-1:0] rest_q;
  logic final_q;                // beats_q is 0

  // --- one step -------------------------------------------------------------------------------------------

  logic room;         // for what a step writes
  logic moves, cut, writing, in_message;
  logic is_count, is_text, padded, listens, named, text_ok, wide_pad;
  logic [2:0] size_mask, slack, count_slack;
  logic [L:0] offered, n;    // bytes
  logic [DATA_WIDTH-1:0] put, kept, elements, header;
  problem_e problem;

  assign is_count = now_q.op inside {OpSequence, OpString, OpWideString, OpRepeatSequence};
  assign is_text = now_q.op == OpString;
  assign padded = (now_q.op == OpSequence || now_q.op == OpWideString) && !none_q;  // to the first element
  assign size_mask = 3'((4'd1 << now_q.log_size) - 4'd1);
  assign slack = (3'd0 - place_q) & size_mask;
  assign count_slack = {1'b0, 2'd0 - place_q[1:0]};
  assign wide_pad = padded && now_q.log_size == 2'd3 && !place_q[2];  // behind the count

  // No unit of wide text is above 0xFFFF; what is offered is kept from lane 0 on.
  always_comb begin
    text_ok = 1'b1;
    for (int unsigned i = 0; i < K / 4; i++) begin
      if ((i == 0 || s_axis.tkeep[4*i+3]) && |s_axis.tdata[32*i+16+:16]) text_ok = now_q.op != OpWideString;
    end
  end

  // A byte shorter than it announces, so that nobody takes the frame of a refusal for a message.
  header_t said;
  always_comb begin
    said = s_axis.header;
    if (refused_q) begin
      said.length = 32'd5;
      said.pad = '0;
      said.kind = KindNoResponse;
    end
  end

  if (Wide) begin : g_wide
    assign header = DATA_WIDTH'(said);
  end else begin : g_narrow
    assign header = state_q == HeaderLow ? said[63:0] : said[127:64];
  end

  always_comb begin
    offered = (L + 1)'($countones(s_axis.tkeep));
    for (int unsigned i = 0; i < K; i++) kept[8*i+:8] = {8{s_axis.tkeep[i]}};
    elements = s_axis.tdata & kept;
    if (now_q.is_bool) begin
      for (int unsigned i = 0; i < K; i++) elements[8*i+:8] = {7'd0, |elements[8*i+:8]};
    end
  end

  // What the step writes, and whether it waits for a beat of the field stream.
  always_comb begin
    put = '0;
    n = '0;
    listens = 1'b0;
    unique case (state_q)
      HeaderLow, HeaderHigh: begin
        put = header;
        n = (L + 1)'(K);
      end
      Padding: n = final_q ? (L + 1)'(rest_q) + 1'b1 : (L + 1)'(K);
      Origin: begin
        put = refused_q ? '0 : DATA_WIDTH'(16'h0100);
        n = (L + 1)'(4);
      end
      Fetch: begin
        if (is_count) begin
          n = (L + 1)'(count_slack);
          listens = count_slack == '0;
        end else if (now_q.op == OpFixed) n = (L + 1)'(slack);
        else listens = now_q.op == OpEnd;
      end
      Judge: begin
        put = DATA_WIDTH'(count_q + 32'(is_text));
        n = wide_pad ? (L + 1)'(8) : (L + 1)'(4);
      end
      Elements: begin
        put = elements;
        n = offered;
        listens = 1'b1;
      end
      Ending: n = (L + 1)'(1);
      Cut: n = (L + 1)'(complete_q);  // a frame that is complete, but not to be believed, gets a byte more
      default: ;
    endcase
  end

  // What is wrong with the beat that it waited for, or with the count that came before.
  kind_e expected;
  assign expected = state_q == Elements ? Values : is_count ? Count : Done;
  assign named = s_axis.tuser.kind == expected && (expected == Done || s_axis.tuser.field == now_q.field);

  always_comb begin
    problem = NoProblem;
    if (listens && s_axis.tuser.kind != Broken) begin
      if (!named || s_axis.tlast != (expected == Done)) problem = WrongField;
      else if (state_q == Elements) begin
        if (offered == '0 || (final_q && offered > (L + 1)'(rest_q) + 1'b1)) problem = WrongField;
        else if (!text_ok) problem = BadText;
      end else if (expected == Done && missing_q != '0) problem = WrongLength;
    end else if (state_q == Judge && (vast_q || count_q > now_q.argument)) problem = OverBound;
  end

  assign writing = !(state_q inside {Idle, Discard});
  assign moves = writing && room && (!listens || s_axis.tvalid);
  assign cut = problem != NoProblem || (listens && s_axis.tuser.kind == Broken);
  // A beat that cuts the frame short is taken too, and so is all behind it to the end of its message. Of a
  // message that was broken before its first field nothing is sent, or a frame that says so.
  logic stillborn, refused;
  assign refused = REFUSALS && s_axis.tuser.kind == Broken && s_axis.tdata[7:0] != 8'(Nothing);
  assign stillborn = state_q == Idle && s_axis.tuser.kind == Broken && !refused;
  assign s_axis.tready = state_q == Discard || stillborn || (listens && room);
  assign address_o = address_q;

  // All but the bytes stays as it is amidst the elements of a field.
  logic walk_clk;
  if (LONG) begin : g_long
    lig_gate walk (.clk_i, .rst_i, .wake_i(state_q != Elements || final_q || cut), .clk_o(walk_clk));
  end else begin : g_short
    assign walk_clk = clk_i;
  end

  always_ff @(posedge walk_clk) begin
    problem_o <= moves ? problem : NoProblem;
    if (rst_i) problem_o <= NoProblem;
  end

  // --- the beats ------------------------------------------------------------------------------------------

  logic [DATA_WIDTH-1:0] put_q, held_q, upper, turned, merged;
  logic [L:0] n_q, at_q;  // held_q has at_q bytes; 1..K within a frame
  logic [L+1:0] sum;
  logic flush_q, full;

  // Byte 0 of what comes goes behind the held bytes; what finds no lane there begins the next beat.
  always_comb begin
    turned = put_q;
    for (int unsigned i = 0; i < L; i++) begin
      if (at_q[i]) turned = (turned << (8 << i)) | (turned >> (DATA_WIDTH - (8 << i)));
    end
  end
  assign upper = {DATA_WIDTH{1'b1}} << {at_q, 3'd0};
  assign merged = held_q | (turned & upper);
  assign sum = (L + 2)'(at_q) + (L + 2)'(n_q);
  assign full = sum > (L + 2)'(K);

  always_ff @(posedge clk_i) begin
    if (room) begin
      put_q <= put;
      n_q <= moves && !cut ? n : '0;
      flush_q <= state_q == Flush;
      if (n_q != '0) begin
        held_q <= full ? turned & ~upper : merged;
        at_q <= full ? (L + 1)'(sum - (L + 2)'(K)) : sum[L:0];
      end
    end
    if (rst_i || (room && flush_q)) begin
      held_q <= '0;
      at_q <= '0;
    end
    if (rst_i) begin
      n_q <= '0;
      flush_q <= 1'b0;
    end
  end

  lig_axis_if #(.DATA_WIDTH(DATA_WIDTH)) leaving ();
  assign leaving.tvalid = full || flush_q;
  assign leaving.tdata = merged;
  assign leaving.tkeep = flush_q ? ~({K{1'b1}} << at_q) : '1;
  assign leaving.tlast = flush_q;
  assign room = leaving.tready;
  lig_skid #(.DATA_WIDTH(DATA_WIDTH)) beats (.clk_i, .rst_i, .s_axis(leaving), .m_axis);

  // --- what follows ---------------------------------------------------------------------------------------

  logic read;   // the next instruction
  logic jump;   // it is another one
  logic push, drop, again, once;
  assign once = counts_q[0] == 32'd1;

  always_comb begin
    state = state_q;
    read = 1'b0;
    jump = 1'b0;
    push = 1'b0;
    drop = 1'b0;
    again = 1'b0;
    // The steps are those of lig_unpack, what is done in them is not: shared, both would lie on the critical path.
    unique case (state_q)
      HeaderLow: state = !Wide ? HeaderHigh : said.pad == '0 ? Origin : Padding;
      HeaderHigh: state = said.pad == '0 ? Origin : Padding;
      Padding: if (final_q) state = Origin;
      Origin, Load: begin
        state = refused_q ? Flush : Fetch;
        read = 1'b1;
      end
      Fetch: begin
        unique case (now_q.op)
          OpEnd: state = Flush;
          OpFixed: state = Elements;
          OpRepeat: begin
            push = 1'b1;
            read = 1'b1;
          end
          OpNext: begin
            drop = once;
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
        if (final_q && offered == (L + 1)'(rest_q) + 1'b1) begin
          state = is_text ? Ending : Fetch;
          read = !is_text;
        end
      Ending: begin
        state = Fetch;
        read = 1'b1;
      end
      Cut: state = Flush;
      Flush: state = discard_q ? Discard : Idle;
      default: ;
    endcase
    if (jump) state = Load;
  end

  // How many elements, or repetitions: at least one wherever it counts.
  logic [31:0] amount;
  logic [34:0] less_one;
  assign amount = state_q == Judge ? count_q : now_q.argument;
  assign less_one = (35'(amount - 32'd1) << now_q.log_size) | 35'(size_mask);
  assign in_message = state_q inside {Origin, Fetch, Judge, Elements, Ending};

  // None of these matters for a frame that ends here because its beat was wrong.
  always_ff @(posedge walk_clk) begin
    if (moves) begin
      if (read) begin
        now_q <= word_i;
        address_q <= address_q + 1'b1;
      end
      if (jump) address_q <= now_q.target;
      if (push) counts_q <= (NESTING * 32)'({counts_q, amount});
      if (drop) counts_q <= (NESTING * 32)'({32'd0, counts_q} >> 32);
      if (again) counts_q[0] <= counts_q[0] - 32'd1;
      if (state_q == Fetch) begin
        count_q <= s_axis.tdata[31:0];
        none_q <= s_axis.tdata[31:0] == '0;
        vast_q <= s_axis.tdata[63:32] != '0;
      end
    end
    if (state_q == Idle) address_q <= start_i;
  end

  always_ff @(posedge clk_i) begin
    if (moves) begin
      complete_q <= missing_q == '0;
      if (in_message) missing_q <= missing_q - 32'(n);
      place_q <= state_q == Origin ? '0 : place_q + n[2:0];
      if (state_q == Fetch || state_q == Judge) begin
        {beats_q, rest_q} <= less_one;
        final_q <= amount <= 32'(K) >> now_q.log_size;
      end
      if (state_q == Padding || state_q == Elements) begin
        {beats_q, rest_q} <= {beats_q, rest_q} - 35'(n);
        if (n[L] || rest_q < n[L-1:0]) final_q <= beats_q == 1;
      end
      if (state_q == (Wide ? HeaderLow : HeaderHigh)) begin
        {beats_q, rest_q} <= 35'(s_axis.header.pad - 6'd1);
        final_q <= 7'(s_axis.header.pad) <= 7'(K);
      end
    end
    if (state_q == Idle) missing_q <= s_axis.header.length;
  end

  always_ff @(posedge walk_clk) begin
    unique case (state_q)
      Idle: if (s_axis.tvalid && !stillborn) state_q <= HeaderLow;
      Discard: if (s_axis.tvalid && s_axis.tlast) state_q <= Idle;
      default: begin
        if (moves) state_q <= cut ? Cut : state;
        if (moves && cut) discard_q <= !(listens && s_axis.tlast);
      end
    endcase
    if (state_q == Idle) begin
      discard_q <= refused;
      refused_q <= refused;
    end
    if (rst_i) state_q <= Idle;
  end

`ifdef LIG_RULES
  lig_axis_rules #(.DATA_WIDTH(DATA_WIDTH), .WHOLE(0)) rules_s (
      .clk_i, .rst_i, .tvalid(s_axis.tvalid), .tready(s_axis.tready), .tdata(s_axis.tdata),
      .tkeep(s_axis.tkeep), .tlast(s_axis.tlast));
  lig_axis_rules #(.DATA_WIDTH(DATA_WIDTH)) rules_m (
      .clk_i, .rst_i, .tvalid(m_axis.tvalid), .tready(m_axis.tready), .tdata(m_axis.tdata),
      .tkeep(m_axis.tkeep), .tlast(m_axis.tlast));
`endif
endmodule
