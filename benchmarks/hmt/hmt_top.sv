// SPDX-License-Identifier: Apache-2.0
//
// lig_topic under a driver that evaluates the model once per cycle.
//
// The driver changes tick_i; the clock rises from that, and falls again within the same evaluation, when
// tick_q has followed. Entering and leaving a verilated model costs as much as a quarter of this network's
// work in a cycle, so the evaluation that would only lower the clock is worth saving. What the edge took is
// kept in taken_o, because after the evaluation tready is already that of the next cycle.
module hmt_top #(
    parameter int unsigned DATA_WIDTH = 64,
    parameter int unsigned PUBLISHERS = 1,
    parameter int unsigned SUBSCRIBERS = 1
) (
    input logic tick_i,  // changes once per cycle
    input logic rst_i,

    input logic [PUBLISHERS-1:0] s_axis_tvalid, s_axis_tlast,
    input logic [PUBLISHERS-1:0][DATA_WIDTH-1:0] s_axis_tdata,
    input logic [PUBLISHERS-1:0][DATA_WIDTH/8-1:0] s_axis_tkeep,
    output logic [PUBLISHERS-1:0] taken_o,  // beats that the last edge took

    output logic [SUBSCRIBERS-1:0] m_axis_tvalid, m_axis_tlast, input logic [SUBSCRIBERS-1:0] m_axis_tready,
    output logic [SUBSCRIBERS-1:0][DATA_WIDTH-1:0] m_axis_tdata,
    output logic [SUBSCRIBERS-1:0][DATA_WIDTH/8-1:0] m_axis_tkeep
);
  logic clk, tick_q;
  assign clk = tick_i != tick_q;

  logic [PUBLISHERS-1:0] s_axis_tready;
  always_ff @(posedge clk) begin
    tick_q <= tick_i;
    taken_o <= s_axis_tvalid & s_axis_tready;
  end

  // verilator lint_off PINCONNECTEMPTY
  hmt_network #(.DATA_WIDTH(DATA_WIDTH), .PUBLISHERS(PUBLISHERS), .SUBSCRIBERS(SUBSCRIBERS)) network (
      .clk_i(clk), .rst_i, .drops_o(), .*);
  // verilator lint_on PINCONNECTEMPTY
endmodule
