// SPDX-License-Identifier: Apache-2.0
//
// lig_fifo_drop: stores whole frames; a frame that finds no room is dropped whole, and nobody waits.
//
// The queue of a best-effort subscriber. A frame is offered only when its last beat is stored (store and
// forward): what has begun to leave can no longer be dropped. tuser on the last beat asks to drop the frame,
// as a length check does with a frame that does not fit its header. A frame longer than DEPTH is
// always dropped. Each dropped frame is one pulse of drop_o.
//
// tready is always high, so a slow consumer cannot hold its publishers or the other subscribers back.
// Rejected: letting a frame pass early if its header says that there is room; a header that is wrong would
// then cut the frame in two.
//
//   latency              2 cycles behind the last beat of the frame
//   initiation interval  1
//   storage              DEPTH beats, and one that is offered
module lig_fifo_drop #(
    parameter int unsigned DATA_WIDTH = 64,  // bits; a multiple of 8, 8..512
    parameter int unsigned KEEP_WIDTH = DATA_WIDTH / 8,
    parameter int unsigned DEPTH = 512       // beats; a power of two, 2..65536
) (
    input logic clk_i, rst_i,  // reset: synchronous, high

    lig_axis_if.marked s_axis,
    lig_axis_if.transmitter m_axis,

    output logic drop_o,  // one cycle per dropped frame, behind its last beat

    output logic [$clog2(DEPTH):0] level_o  // beats stored, without the offered one
);
  if (DATA_WIDTH < 8 || DATA_WIDTH > 512 || DATA_WIDTH % 8 != 0) begin : g_rule_data_width
    $fatal(1, "lig_fifo_drop: rule data_width: DATA_WIDTH = %0d, a multiple of 8 in 8..512 is needed", DATA_WIDTH);
  end
  if (DEPTH < 2 || DEPTH > 65536 || (DEPTH & (DEPTH - 1)) != 0) begin : g_rule_depth
    $fatal(1, "lig_fifo_drop: rule depth: DEPTH = %0d, a power of two in 2..65536 is needed", DEPTH);
  end

  localparam int unsigned A = $clog2(DEPTH);
  localparam int unsigned W = DATA_WIDTH + KEEP_WIDTH + 1;

  // Beats from read_q to commit_q may leave; those up to write_q belong to the frame that is coming.
  logic [A:0] write_q, commit_q, read_q;
  logic lost_q;  // the frame that is coming has lost a beat

  logic full, push, pop, end_of_frame, lost;
  assign full = write_q == (read_q ^ {1'b1, {A{1'b0}}});
  assign lost = lost_q || full;
  assign push = s_axis.tvalid && !lost;
  assign end_of_frame = s_axis.tvalid && s_axis.tlast;

  assign s_axis.tready = 1'b1;
  assign level_o = write_q - read_q;

  lig_store #(.WIDTH(W), .ADDRESS_WIDTH(A)) store (
      .clk_i, .rst_i,
      .push_i(push), .push_address_i(write_q[A-1:0]), .push_data_i({s_axis.tlast, s_axis.tkeep, s_axis.tdata}),
      .any_i(commit_q != read_q), .pop_address_i(read_q[A-1:0]), .pop_o(pop),
      .valid_o(m_axis.tvalid), .ready_i(m_axis.tready), .data_o({m_axis.tlast, m_axis.tkeep, m_axis.tdata}));

  always_ff @(posedge clk_i) begin
    if (push) write_q <= write_q + 1'b1;
    if (s_axis.tvalid) lost_q <= lost && !s_axis.tlast;
    drop_o <= end_of_frame && (lost || s_axis.tuser);
    if (end_of_frame) begin
      if (lost || s_axis.tuser) write_q <= commit_q;
      else commit_q <= write_q + 1'b1;
    end
    if (pop) read_q <= read_q + 1'b1;
    if (rst_i) begin
      write_q <= '0;
      commit_q <= '0;
      read_q <= '0;
      lost_q <= 1'b0;
      drop_o <= 1'b0;
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
