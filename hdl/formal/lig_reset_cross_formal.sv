// SPDX-License-Identifier: Apache-2.0
//
// lig_reset_cross, by induction: what lig_cross needs of its two resets. Both clocks are free inputs: their edges come at
// any moments, together or not, so a register that is undecided at an edge is read either way. The reset that comes in is
// any, however short, and may come again at any time.
//
// Proven:
//   - m_rst_o begins at once: with the register that shows the reset, whatever m_clk_i does;
//   - s_rst_o is high wherever m_rst_o is, so the s side leaves last;
//   - each side leaves only when both have had an edge at which both were in reset. From then on lig_cross is in the
//     state that its own proof (lig_cross_formal) begins with.
//
// The invariant is what the edges leave behind. After k edges of m_clk_i the k lowest registers of the release are
// low. After k of s_clk_i behind the reset's end the k - 1 lowest of way_q are low, and the k lowest of the level that
// came back are high while m_rst_o lasts. REACH denies that both sides ever leave, and has to fail.
module lig_reset_cross_formal #(
    parameter int unsigned STAGES = 2
) (
    input logic s_clk_i, s_rst_i, m_clk_i
);
  logic s_rst, m_rst;
  lig_reset_cross #(.SYNC_STAGES(STAGES)) dut (.s_clk_i, .s_rst_i, .s_rst_o(s_rst), .m_clk_i, .m_rst_o(m_rst));

  // --- what registers of a synchronous reset see --------------------------------------------------------

  // Since the last reset that came in: whether this side has had an edge at which both were in reset.
  logic known_q, s_together_q, m_together_q;  // known: a reset has come at all
  initial {known_q, s_together_q, m_together_q} = '0;
  always_ff @(posedge s_clk_i) begin
    if (s_rst_i) begin
      known_q <= 1'b1;
      s_together_q <= 1'b0;
    end else if (s_rst && m_rst) s_together_q <= 1'b1;
  end
  always_ff @(posedge m_clk_i or posedge dut.begin_rst_q) begin
    if (dut.begin_rst_q) m_together_q <= 1'b0;
    else if (s_rst && m_rst) m_together_q <= 1'b1;
  end

  always_comb begin
    assert (!dut.begin_rst_q || m_rst);
    assert (!m_rst || s_rst);
    if (known_q && !s_rst) assert (s_together_q && m_together_q);
    if (known_q && !m_rst) assert (s_together_q && m_together_q);
  end

  // --- the invariant ------------------------------------------------------------------------------------

  logic [STAGES-1:0] release_q, way, back;
  assign release_q = dut.release_q;
  assign way = dut.way_q;
  assign back = dut.reset_level.seen_q;
  always_comb begin
    assert (dut.begin_rst_q == dut.begun_q);
    if (dut.begin_rst_q) assert (&release_q);
    for (int i = 0; i + 1 < int'(STAGES); i++) begin
      assert (!release_q[i] || release_q[i+1]);
      assert (!way[i] || way[i+1]);
      if (m_rst && !dut.begun_q) assert (way[i] || back[i+1]);
    end
    if (m_rst && !dut.begun_q) assert (back[0]);
    if (known_q) assert (dut.begun_q || s_together_q);
    if (known_q) assert (release_q[0] || m_together_q);
  end

`ifdef REACH
  always_comb assert (!(known_q && !s_rst && !m_rst));
`endif
endmodule
