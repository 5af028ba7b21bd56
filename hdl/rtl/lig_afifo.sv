// SPDX-License-Identifier: Apache-2.0
//
// lig_afifo: carries a stream from one clock to another.
//
// Crossing of clock domains. Each side counts in its own clock and shows the other its count as a Gray
// code, of which one bit changes per step, through SYNC_STAGES registers: whatever moment the other clock
// samples it at, it reads the old or the new count. An old count only makes the FIFO look fuller, or
// emptier, than it is. The memory needs no synchroniser: a word is read only when its count has crossed.
// What tools must be told (constraints/lig_afifo.xdc): the Gray registers may take at most one
// period of the faster clock to cross, so that no two of their bits arrive a step apart.
//
// Reset: hold both resets together for 4 cycles of the slower clock; while one side is in reset and the
// other is not, counts make no sense. Beats that are inside are lost, whole frames or not.
//
//   latency              2 cycles of s_clk_i and SYNC_STAGES + 2 of m_clk_i, at most
//   initiation interval  1 (of the slower clock)
//   storage              DEPTH beats, and one that is offered
module lig_afifo #(
    parameter int unsigned DATA_WIDTH = 64,  // bits; a multiple of 8, 8..512
    parameter int unsigned KEEP_WIDTH = DATA_WIDTH / 8,
    parameter int unsigned DEPTH = 16,       // beats; a power of two, 8..65536
    parameter int unsigned SYNC_STAGES = 2   // 2..4
) (
    input  logic                  s_clk_i,
    input  logic                  s_rst_i,  // synchronous, high
    lig_axis_if.receiver s_axis,

    input  logic                  m_clk_i,
    input  logic                  m_rst_i,  // synchronous, high
    lig_axis_if.transmitter m_axis
);
  if (DATA_WIDTH < 8 || DATA_WIDTH > 512 || DATA_WIDTH % 8 != 0) begin : g_rule_data_width
    $fatal(1, "lig_afifo: rule data_width: DATA_WIDTH = %0d, a multiple of 8 in 8..512 is needed", DATA_WIDTH);
  end
  if (DEPTH < 8 || DEPTH > 65536 || (DEPTH & (DEPTH - 1)) != 0) begin : g_rule_depth
    $fatal(1, "lig_afifo: rule depth: DEPTH = %0d, a power of two in 8..65536 is needed", DEPTH);
  end
  if (SYNC_STAGES < 2 || SYNC_STAGES > 4) begin : g_rule_sync_stages
    $fatal(1, "lig_afifo: rule sync_stages: SYNC_STAGES = %0d, 2..4 is needed", SYNC_STAGES);
  end

  localparam int unsigned A = $clog2(DEPTH);
  localparam int unsigned W = DATA_WIDTH + KEEP_WIDTH + 1;

  function automatic logic [A:0] gray_of(input logic [A:0] count);
    return count ^ (count >> 1);
  endfunction

  // A whole turn apart, two Gray codes differ in their two top bits.
  localparam logic [A:0] Turn = {2'b11, {(A - 1) {1'b0}}};

  logic [W-1:0] memory[DEPTH];

  // --- s_clk_i ------------------------------------------------------------------------------------------

  logic [A:0] write_q, write_gray_q;
  logic [SYNC_STAGES-1:0][A:0] read_seen_q;
  logic push;
  assign s_axis.tready = write_gray_q != (read_seen_q[SYNC_STAGES-1] ^ Turn);
  assign push = s_axis.tvalid && s_axis.tready;

  always_ff @(posedge s_clk_i) begin
    if (push) memory[write_q[A-1:0]] <= {s_axis.tlast, s_axis.tkeep, s_axis.tdata};
  end

  always_ff @(posedge s_clk_i) begin
    read_seen_q <= {read_seen_q[SYNC_STAGES-2:0], read_gray_q};
    if (push) begin
      write_q <= write_q + 1'b1;
      write_gray_q <= gray_of(write_q + 1'b1);
    end
    if (s_rst_i) begin
      write_q <= '0;
      write_gray_q <= '0;
      read_seen_q <= '0;
    end
  end

  // --- m_clk_i ------------------------------------------------------------------------------------------

  logic [A:0] read_q, read_gray_q;
  logic [SYNC_STAGES-1:0][A:0] write_seen_q;
  logic [W-1:0] out_q;
  logic out_valid_q, pop;
  assign pop = read_gray_q != write_seen_q[SYNC_STAGES-1] && (m_axis.tready || !out_valid_q);
  assign m_axis.tvalid = out_valid_q;
  assign {m_axis.tlast, m_axis.tkeep, m_axis.tdata} = out_q;

  always_ff @(posedge m_clk_i) begin
    if (pop) out_q <= memory[read_q[A-1:0]];
  end

  always_ff @(posedge m_clk_i) begin
    write_seen_q <= {write_seen_q[SYNC_STAGES-2:0], write_gray_q};
    if (pop) begin
      read_q <= read_q + 1'b1;
      read_gray_q <= gray_of(read_q + 1'b1);
    end
    if (pop) out_valid_q <= 1'b1;
    else if (m_axis.tready) out_valid_q <= 1'b0;
    if (m_rst_i) begin
      read_q <= '0;
      read_gray_q <= '0;
      write_seen_q <= '0;
      out_valid_q <= 1'b0;
    end
  end

`ifdef LIG_RULES
  lig_axis_rules #(.DATA_WIDTH(DATA_WIDTH), .KEEP_WIDTH(KEEP_WIDTH)) rules_s (
      .clk_i(s_clk_i), .rst_i(s_rst_i), .tvalid(s_axis.tvalid), .tready(s_axis.tready), .tdata(s_axis.tdata),
      .tkeep(s_axis.tkeep), .tlast(s_axis.tlast));
  lig_axis_rules #(.DATA_WIDTH(DATA_WIDTH), .KEEP_WIDTH(KEEP_WIDTH)) rules_m (
      .clk_i(m_clk_i), .rst_i(m_rst_i), .tvalid(m_axis.tvalid), .tready(m_axis.tready), .tdata(m_axis.tdata),
      .tkeep(m_axis.tkeep), .tlast(m_axis.tlast));
`endif
endmodule
