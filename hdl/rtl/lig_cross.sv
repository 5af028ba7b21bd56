// SPDX-License-Identifier: Apache-2.0
//
// lig_cross: a queue of words from one clock to another. lig_afifo is one of beats, lig_axi_cross one per channel.
//
// Crossing of clock domains. Each side counts in its own clock and shows the other its count as a Gray
// code, of which one bit changes per step, through SYNC_STAGES registers: whatever moment the other clock
// samples it at, it reads the old or the new count. An old count only makes the queue look fuller, or
// emptier, than it is. The memory needs no synchroniser: a word is read only when its count has crossed.
// What tools must be told (lig_cross.xdc): the Gray registers may take at most one
// period of their own clock to cross, so that no two of their bits arrive a step apart.
//
// Reset: both sides must be in reset together for a cycle of each clock, whichever ends first (lig_reset_cross
// sees to it). In reset a side takes and offers nothing. Words that are inside are lost.
//
//   latency              2 cycles of s_clk_i and SYNC_STAGES + 2 of m_clk_i, at most
//   initiation interval  1 (of the slower clock), with DEPTH 16
//   storage              DEPTH words, and one that is offered
//
// Proven by induction for edges at any moments (formal/lig_cross_formal.sv).
module lig_cross #(
    parameter int unsigned WIDTH = 64,       // bits
    parameter int unsigned DEPTH = 16,       // words; a power of two, 4..65536
    parameter int unsigned SYNC_STAGES = 2   // 2..4
) (
    input  logic             s_clk_i, s_rst_i,  // reset: synchronous, high
    input  logic             s_valid_i,
    output logic             s_ready_o,
    input  logic [WIDTH-1:0] s_data_i,

    input  logic             m_clk_i, m_rst_i,  // reset: synchronous, high
    output logic             m_valid_o,
    input  logic             m_ready_i,
    output logic [WIDTH-1:0] m_data_o
);
  if (DEPTH < 4 || DEPTH > 65536 || (DEPTH & (DEPTH - 1)) != 0) begin : g_rule_depth
    $fatal(1, "lig_cross: rule depth: DEPTH = %0d, a power of two in 4..65536 is needed", DEPTH);
  end

  localparam int unsigned A = $clog2(DEPTH);
  logic [A:0] write_gray, read_gray;
  logic [A-1:0] address;
  logic [WIDTH-1:0] word;

  lig_cross_write #(.WIDTH(WIDTH), .DEPTH(DEPTH), .SYNC_STAGES(SYNC_STAGES)) writer (
      .clk_i(s_clk_i), .rst_i(s_rst_i), .valid_i(s_valid_i), .ready_o(s_ready_o), .data_i(s_data_i),
      .write_gray_o(write_gray), .read_gray_i(read_gray), .address_i(address), .word_o(word));

  lig_cross_read #(.WIDTH(WIDTH), .DEPTH(DEPTH), .SYNC_STAGES(SYNC_STAGES)) reader (
      .clk_i(m_clk_i), .rst_i(m_rst_i), .write_gray_i(write_gray), .read_gray_o(read_gray), .address_o(address),
      .word_i(word), .valid_o(m_valid_o), .ready_i(m_ready_i), .data_o(m_data_o));
endmodule
