// SPDX-License-Identifier: Apache-2.0
//
// lig_fifo_last: keeps the newest HISTORY whole frames; an older one is dropped whole, and nobody waits.
//
// The queue of a keep-last(HISTORY) subscriber. A frame waits from the moment that its last beat is stored
// until its first beat leaves for the output register; a frame that has begun to leave is no longer dropped,
// because tvalid must not be taken back. So a consumer that has stopped sees the frame that it was offered,
// and then the newest HISTORY.
//
// Room is freed in the order of the memory: while one frame leaves, the beats of dropped frames behind it
// are still occupied. With DEPTH >= (HISTORY + 2) x the longest frame a new frame always finds room;
// with less, it may be the new one that is dropped. drop_old_o and drop_new_o tell the two apart. tuser on
// the last beat asks to drop the frame (drop_new_o).
//
//   latency              2 cycles behind the last beat of the frame
//   initiation interval  1
//   storage              DEPTH beats, one that is offered, and HISTORY addresses
module lig_fifo_last #(
    parameter int unsigned DATA_WIDTH = 64,  // bits; a multiple of 8, 8..512
    parameter int unsigned KEEP_WIDTH = DATA_WIDTH / 8,
    parameter int unsigned DEPTH = 512,      // beats; a power of two, 4..65536
    parameter int unsigned HISTORY = 1       // frames; 1..64
) (
    input logic clk_i, rst_i,  // reset: synchronous, high

    lig_axis_if.marked s_axis,
    lig_axis_if.transmitter m_axis,

    output logic drop_old_o,  // one cycle per frame that a newer one replaced
    output logic drop_new_o,  // one cycle per frame that found no room, or was to be dropped

    output logic [$clog2(DEPTH):0] level_o  // beats stored, without the offered one
);
  if (DATA_WIDTH < 8 || DATA_WIDTH > 512 || DATA_WIDTH % 8 != 0) begin : g_rule_data_width
    $fatal(1, "lig_fifo_last: rule data_width: DATA_WIDTH = %0d, a multiple of 8 in 8..512 is needed", DATA_WIDTH);
  end
  if (DEPTH < 4 || DEPTH > 65536 || (DEPTH & (DEPTH - 1)) != 0) begin : g_rule_depth
    $fatal(1, "lig_fifo_last: rule depth: DEPTH = %0d, a power of two in 4..65536 is needed", DEPTH);
  end
  if (HISTORY < 1 || HISTORY > 64) begin : g_rule_history
    $fatal(1, "lig_fifo_last: rule history: HISTORY = %0d, 1..64 is needed", HISTORY);
  end

  localparam int unsigned A = $clog2(DEPTH);
  localparam int unsigned W = DATA_WIDTH + KEEP_WIDTH + 1;
  localparam int unsigned H = HISTORY > 1 ? $clog2(HISTORY) : 1;
  localparam int unsigned C = $clog2(HISTORY + 1);

  // --- writing: as lig_fifo_drop ---------------------------------------------------------------------

  logic [A:0] write_q, commit_q, occupied_from;
  logic lost_q, lost, push, end_of_frame, stored;
  assign lost = lost_q || write_q == (occupied_from ^ {1'b1, {A{1'b0}}});
  assign push = s_axis.tvalid && !lost;
  assign end_of_frame = s_axis.tvalid && s_axis.tlast;
  assign stored = end_of_frame && !lost && !s_axis.tuser;
  assign s_axis.tready = 1'b1;

  // --- the frames that wait: the address behind each, oldest first ---------------------------------------

  logic [A:0] ends[HISTORY];
  logic [H-1:0] first_q, free_q;
  logic [C-1:0] waiting_q;
  logic [A:0] oldest_end;
  logic begin_frame, replace, take;
  assign oldest_end = ends[first_q];
  assign replace = stored && waiting_q == C'(HISTORY) && !begin_frame;
  assign take = begin_frame || replace;

  function automatic logic [H-1:0] after(input logic [H-1:0] place);
    return place == H'(HISTORY - 1) ? '0 : place + 1'b1;
  endfunction

  // --- reading ----------------------------------------------------------------------------------------

  // start_q: where the oldest waiting frame begins. While a frame leaves (leaving_q), read_q is its next
  // beat and end_q is behind its last.
  logic [A:0] start_q, read_q, end_q, read_from;
  logic leaving_q, pop;
  assign read_from = leaving_q ? read_q : start_q;
  assign occupied_from = read_from;
  assign level_o = write_q - occupied_from;
  assign begin_frame = pop && !leaving_q;

  lig_store #(.WIDTH(W), .ADDRESS_WIDTH(A)) store (
      .clk_i, .rst_i,
      .push_i(push), .push_address_i(write_q[A-1:0]), .push_data_i({s_axis.tlast, s_axis.tkeep, s_axis.tdata}),
      .any_i(leaving_q || waiting_q != '0), .pop_address_i(read_from[A-1:0]), .pop_o(pop),
      .valid_o(m_axis.tvalid), .ready_i(m_axis.tready), .data_o({m_axis.tlast, m_axis.tkeep, m_axis.tdata}));

  always_ff @(posedge clk_i) begin
    if (stored) ends[free_q] <= write_q + 1'b1;
  end

  always_ff @(posedge clk_i) begin
    if (push) write_q <= write_q + 1'b1;
    if (s_axis.tvalid) lost_q <= lost && !s_axis.tlast;
    if (end_of_frame && !stored) write_q <= commit_q;
    if (stored) commit_q <= write_q + 1'b1;
    if (stored) free_q <= after(free_q);
    if (take) first_q <= after(first_q);
    waiting_q <= waiting_q + C'(stored) - C'(take);
    if (take) start_q <= oldest_end;
    if (pop) begin
      read_q <= read_from + 1'b1;
      if (begin_frame) end_q <= oldest_end;
      leaving_q <= read_from + 1'b1 != (begin_frame ? oldest_end : end_q);
    end
    drop_old_o <= replace;
    drop_new_o <= end_of_frame && !stored;
    if (rst_i) begin
      write_q <= '0;
      commit_q <= '0;
      start_q <= '0;
      first_q <= '0;
      free_q <= '0;
      waiting_q <= '0;
      leaving_q <= 1'b0;
      lost_q <= 1'b0;
      drop_old_o <= 1'b0;
      drop_new_o <= 1'b0;
    end
  end

`ifdef LIG_RULES
  lig_axis_rules #(.DATA_WIDTH(DATA_WIDTH), .KEEP_WIDTH(KEEP_WIDTH)) rules_s (
      .clk_i, .rst_i, .tvalid(s_axis.tvalid), .tready(s_axis.tready), .tdata(s_axis.tdata),
      .tkeep(s_axis.tkeep), .tlast(s_axis.tlast));
  lig_axis_rules #(.DATA_WIDTH(DATA_WIDTH), .KEEP_WIDTH(KEEP_WIDTH)) rules_m (
      .clk_i, .rst_i, .tvalid(m_axis.tvalid), .tready(m_axis.tready), .tdata(m_axis.tdata),
      .tkeep(m_axis.tkeep), .tlast(m_axis.tlast));
`endif
endmodule
