// SPDX-License-Identifier: Apache-2.0
//
// lig_reset_cross: a reset for both sides of crossings (lig_cross), from the reset of one of them.
//
// Crossing of clock domains. m_rst_o begins asynchronously, so that a clock that stands still or is slow has it at
// once, and ends with m_clk_i, behind SYNC_STAGES edges: registers of a synchronous reset have seen that many. Its
// own registers give an undecided release a period each to decide. s_rst_o ends when this side has seen m_rst_o end:
// so both sides are in reset together for edges of both clocks, whatever their ratio and however short s_rst_i is.
// What tools must be told (lig_cross.xdc): the asynchronous set, and the level back, need no time.
//
// Proven by induction for edges at any moments (formal/lig_reset_cross_formal.sv).
module lig_reset_cross #(
    parameter int unsigned SYNC_STAGES = 2  // 2..4
) (
    input  logic s_clk_i,
    input  logic s_rst_i,  // synchronous, high; at least a cycle
    output logic s_rst_o,  // of the crossings' sides in s_clk_i
    input  logic m_clk_i,
    output logic m_rst_o   // of those in m_clk_i
);
  // From a register: without the glitches of what decides it.
  logic begin_rst_q, begun_q;
  always_ff @(posedge s_clk_i) begin
    begin_rst_q <= s_rst_i;
    begun_q <= s_rst_i;  // the same, for this side's clock
  end

  (* ASYNC_REG = "TRUE" *) logic [SYNC_STAGES-1:0] release_q;
  always_ff @(posedge m_clk_i or posedge begin_rst_q) begin
    if (begin_rst_q) release_q <= '1;
    else release_q <= {release_q[SYNC_STAGES-2:0], 1'b0};
  end
  assign m_rst_o = release_q[SYNC_STAGES-1];

  logic lasts;
  lig_sync #(.WIDTH(1), .STAGES(SYNC_STAGES)) reset_level (
      .clk_i(s_clk_i), .rst_i(1'b0), .data_i(m_rst_o), .data_o(lasts));
  // As long as it may still be on its way back, too.
  logic [SYNC_STAGES-1:0] way_q;
  always_ff @(posedge s_clk_i) way_q <= begun_q ? '1 : {way_q[SYNC_STAGES-2:0], 1'b0};
  assign s_rst_o = s_rst_i || begun_q || way_q[SYNC_STAGES-1] || lasts;
endmodule
