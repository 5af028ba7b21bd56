// SPDX-License-Identifier: Apache-2.0
//
// lig_control with a memory for the design, whose answers are taken at once, as designs have it.
module lig_control_tb #(
    parameter int unsigned BUS_WIDTH = 64
) (
    input logic clk_i, rst_i,

    input  logic                   s_axil_awvalid, s_axil_wvalid, s_axil_bready, s_axil_arvalid, s_axil_rready,
    output logic                   s_axil_awready, s_axil_wready, s_axil_bvalid, s_axil_arready, s_axil_rvalid,
    input  logic [16:0]            s_axil_awaddr, s_axil_araddr,
    input  logic [BUS_WIDTH-1:0]   s_axil_wdata,
    input  logic [BUS_WIDTH/8-1:0] s_axil_wstrb,
    output logic [BUS_WIDTH-1:0]   s_axil_rdata,
    output logic [1:0]             s_axil_bresp, s_axil_rresp,

    output logic        m_axil_awvalid, m_axil_wvalid, m_axil_bready, m_axil_arvalid, m_axil_rready,
    input  logic        m_axil_awready, m_axil_wready, m_axil_bvalid, m_axil_arready, m_axil_rvalid,
    output logic [15:0] m_axil_awaddr, m_axil_araddr,
    output logic [63:0] m_axil_wdata,
    output logic [7:0]  m_axil_wstrb,
    input  logic [63:0] m_axil_rdata,
    input  logic [1:0]  m_axil_bresp, m_axil_rresp,

    output logic [1:0][63:0] settings_o,
    input  logic [1:0][63:0] values_i
);
  assign {m_axil_bready, m_axil_rready, m_axil_wstrb} = '1;
  lig_control #(
      .IDENTITY(64'h0123_4567_89AB_CDEF), .ENDS(5), .SETTINGS(2), .VALUES(2),
      .INITIAL({64'hFFFF_0000_FFFF_0000, 64'h1111_2222_3333_4444}), .BUS_WIDTH(BUS_WIDTH)) dut (.*);
endmodule
