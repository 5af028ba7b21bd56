// SPDX-License-Identifier: Apache-2.0
//
// lig_axil_cross: the registers of a design (AXI4-Lite, and their interrupt) from a bus with another clock.
//
// The signals are flat, as at the edges where it stands. Crossing of clock domains: only through lig_cross, lig_sync
// and lig_reset_cross. The reset is that of the registers' side: while it lasts, the bus waits.
// ENABLE = 0: both sides have one clock, and everything is wired through; so one top serves a bus that has crossed
// already.
//
//   latency   per channel that of lig_cross; an access takes two of them, one after the other
//   storage   4 words per channel
module lig_axil_cross #(
    parameter bit ENABLE = 1'b1,
    parameter int unsigned ADDRESS_WIDTH = 16,
    parameter int unsigned DATA_WIDTH = 64,
    parameter int unsigned SYNC_STAGES = 2,  // 2..4
    localparam int unsigned A = ADDRESS_WIDTH, D = DATA_WIDTH, S = D / 8
) (
    // The bus.
    input  logic         s_clk_i,
    input  logic         s_awvalid, output logic s_awready, input logic [A-1:0] s_awaddr,
    input  logic         s_wvalid, output logic s_wready, input logic [D-1:0] s_wdata, input logic [S-1:0] s_wstrb,
    output logic         s_bvalid, input logic s_bready, output logic [1:0] s_bresp,
    input  logic         s_arvalid, output logic s_arready, input logic [A-1:0] s_araddr,
    output logic         s_rvalid, input logic s_rready, output logic [D-1:0] s_rdata, output logic [1:0] s_rresp,
    output logic         s_irq_o,

    // The registers.
    input  logic         m_clk_i, m_rst_i,  // reset: synchronous, high; of the crossing, too
    output logic         m_awvalid, input logic m_awready, output logic [A-1:0] m_awaddr,
    output logic         m_wvalid, input logic m_wready, output logic [D-1:0] m_wdata, output logic [S-1:0] m_wstrb,
    input  logic         m_bvalid, output logic m_bready, input logic [1:0] m_bresp,
    output logic         m_arvalid, input logic m_arready, output logic [A-1:0] m_araddr,
    input  logic         m_rvalid, output logic m_rready, input logic [D-1:0] m_rdata, input logic [1:0] m_rresp,
    input  logic         m_irq_i             // from a register
);
  if (ENABLE) begin : g_cross
    localparam int unsigned Few = 4;
    logic s_rst, m_rst;
    lig_reset_cross #(.SYNC_STAGES(SYNC_STAGES)) resets (
        .s_clk_i(m_clk_i), .s_rst_i(m_rst_i), .s_rst_o(m_rst), .m_clk_i(s_clk_i), .m_rst_o(s_rst));

    lig_cross #(.WIDTH(A), .DEPTH(Few), .SYNC_STAGES(SYNC_STAGES)) aw (
        .s_clk_i, .s_rst_i(s_rst), .s_valid_i(s_awvalid), .s_ready_o(s_awready), .s_data_i(s_awaddr),
        .m_clk_i, .m_rst_i(m_rst), .m_valid_o(m_awvalid), .m_ready_i(m_awready), .m_data_o(m_awaddr));
    lig_cross #(.WIDTH(D + S), .DEPTH(Few), .SYNC_STAGES(SYNC_STAGES)) w (
        .s_clk_i, .s_rst_i(s_rst), .s_valid_i(s_wvalid), .s_ready_o(s_wready), .s_data_i({s_wdata, s_wstrb}),
        .m_clk_i, .m_rst_i(m_rst), .m_valid_o(m_wvalid), .m_ready_i(m_wready), .m_data_o({m_wdata, m_wstrb}));
    lig_cross #(.WIDTH(A), .DEPTH(Few), .SYNC_STAGES(SYNC_STAGES)) ar (
        .s_clk_i, .s_rst_i(s_rst), .s_valid_i(s_arvalid), .s_ready_o(s_arready), .s_data_i(s_araddr),
        .m_clk_i, .m_rst_i(m_rst), .m_valid_o(m_arvalid), .m_ready_i(m_arready), .m_data_o(m_araddr));
    // Back.
    lig_cross #(.WIDTH(2), .DEPTH(Few), .SYNC_STAGES(SYNC_STAGES)) b (
        .s_clk_i(m_clk_i), .s_rst_i(m_rst), .s_valid_i(m_bvalid), .s_ready_o(m_bready), .s_data_i(m_bresp),
        .m_clk_i(s_clk_i), .m_rst_i(s_rst), .m_valid_o(s_bvalid), .m_ready_i(s_bready), .m_data_o(s_bresp));
    lig_cross #(.WIDTH(D + 2), .DEPTH(Few), .SYNC_STAGES(SYNC_STAGES)) r (
        .s_clk_i(m_clk_i), .s_rst_i(m_rst), .s_valid_i(m_rvalid), .s_ready_o(m_rready), .s_data_i({m_rdata, m_rresp}),
        .m_clk_i(s_clk_i), .m_rst_i(s_rst), .m_valid_o(s_rvalid), .m_ready_i(s_rready), .m_data_o({s_rdata, s_rresp}));
    lig_sync #(.WIDTH(1), .STAGES(SYNC_STAGES)) irq_level (
        .clk_i(s_clk_i), .rst_i(s_rst), .data_i(m_irq_i), .data_o(s_irq_o));
  end else begin : g_wire
    assign {m_awvalid, m_awaddr, m_wvalid, m_wdata, m_wstrb, m_arvalid, m_araddr} = {
        s_awvalid, s_awaddr, s_wvalid, s_wdata, s_wstrb, s_arvalid, s_araddr};
    assign {s_awready, s_wready, s_arready} = {m_awready, m_wready, m_arready};
    assign {s_bvalid, s_bresp, s_rvalid, s_rdata, s_rresp, s_irq_o} = {
        m_bvalid, m_bresp, m_rvalid, m_rdata, m_rresp, m_irq_i};
    assign {m_bready, m_rready} = {s_bready, s_rready};
    logic unused;
    assign unused = ^{s_clk_i, m_clk_i, m_rst_i};
  end
endmodule
