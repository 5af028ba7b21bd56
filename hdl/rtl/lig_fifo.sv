// SPDX-License-Identifier: Apache-2.0
//
// lig_fifo: stores beats and hands them on at once; when it is full its producer waits.
//
// The queue of a keep-all subscriber, and plain elastic storage. It is cut-through: the first beat of a
// frame leaves before the last has come, so frames longer than DEPTH pass. Where frames must be dropped
// instead of making the producer wait: lig_fifo_drop (the newest), lig_fifo_last (the oldest).
//
//   latency              2 cycles
//   initiation interval  1
//   storage              DEPTH beats, and one that is offered
module lig_fifo #(
    parameter int unsigned DATA_WIDTH = 64,  // bits; a multiple of 8, 8..512
    parameter int unsigned KEEP_WIDTH = DATA_WIDTH / 8,
    parameter int unsigned DEPTH = 512       // beats; a power of two, 2..65536
) (
    input logic clk_i,
    input logic rst_i, // synchronous, high

    input  logic                  s_axis_tvalid,
    output logic                  s_axis_tready,
    input  logic [DATA_WIDTH-1:0] s_axis_tdata,
    input  logic [KEEP_WIDTH-1:0] s_axis_tkeep,
    input  logic                  s_axis_tlast,

    output logic                  m_axis_tvalid,
    input  logic                  m_axis_tready,
    output logic [DATA_WIDTH-1:0] m_axis_tdata,
    output logic [KEEP_WIDTH-1:0] m_axis_tkeep,
    output logic                  m_axis_tlast,

    output logic [$clog2(DEPTH):0] level_o  // beats stored, without the offered one
);
  if (DATA_WIDTH < 8 || DATA_WIDTH > 512 || DATA_WIDTH % 8 != 0) begin : g_rule_data_width
    $fatal(1, "lig_fifo: rule data_width: DATA_WIDTH = %0d, a multiple of 8 in 8..512 is needed", DATA_WIDTH);
  end
  if (DEPTH < 2 || DEPTH > 65536 || (DEPTH & (DEPTH - 1)) != 0) begin : g_rule_depth
    $fatal(1, "lig_fifo: rule depth: DEPTH = %0d, a power of two in 2..65536 is needed", DEPTH);
  end

  localparam int unsigned A = $clog2(DEPTH);
  localparam int unsigned W = DATA_WIDTH + KEEP_WIDTH + 1;

  // One bit more than an address: equal pointers are empty, pointers a whole turn apart are full.
  logic [A:0] write_q, read_q;

  logic full, empty, push, pop;
  assign full = write_q == (read_q ^ {1'b1, {A{1'b0}}});
  assign empty = write_q == read_q;
  assign push = s_axis_tvalid && !full;

  assign s_axis_tready = !full;
  assign level_o = write_q - read_q;

  lig_store #(.WIDTH(W), .ADDRESS_WIDTH(A)) store (
      .clk_i, .rst_i,
      .push_i(push), .push_address_i(write_q[A-1:0]), .push_data_i({s_axis_tlast, s_axis_tkeep, s_axis_tdata}),
      .any_i(!empty), .pop_address_i(read_q[A-1:0]), .pop_o(pop),
      .valid_o(m_axis_tvalid), .ready_i(m_axis_tready), .data_o({m_axis_tlast, m_axis_tkeep, m_axis_tdata}));

  always_ff @(posedge clk_i) begin
    if (push) write_q <= write_q + 1'b1;
    if (pop) read_q <= read_q + 1'b1;
    if (rst_i) begin
      write_q <= '0;
      read_q <= '0;
    end
  end

`ifdef FORMAL
  initial write_q = '0;
  initial read_q = '0;
  always_comb assert (level_o <= (A + 1)'(DEPTH));
`endif
`ifdef LIG_RULES
  lig_axis_rules #(.DATA_WIDTH(DATA_WIDTH), .KEEP_WIDTH(KEEP_WIDTH), .WHOLE(KEEP_WIDTH == DATA_WIDTH / 8)) rules_s (
      .clk_i, .rst_i, .tvalid(s_axis_tvalid), .tready(s_axis_tready), .tdata(s_axis_tdata),
      .tkeep(s_axis_tkeep), .tlast(s_axis_tlast));
  lig_axis_rules #(.DATA_WIDTH(DATA_WIDTH), .KEEP_WIDTH(KEEP_WIDTH), .WHOLE(KEEP_WIDTH == DATA_WIDTH / 8)) rules_m (
      .clk_i, .rst_i, .tvalid(m_axis_tvalid), .tready(m_axis_tready), .tdata(m_axis_tdata),
      .tkeep(m_axis_tkeep), .tlast(m_axis_tlast));
`endif
endmodule
