// SPDX-License-Identifier: Apache-2.0
//
// lig_axi_pages between a master and a memory of cocotbext-axi, which want sizes and burst types.
// verilator lint_off UNUSEDSIGNAL
// The master says these; they are what the memory is told.
module lig_axi_pages_tb #(
    parameter int unsigned DATA_WIDTH = 64,
    parameter int unsigned ID_WIDTH = 2,
    parameter int unsigned PAGES = 16,
    parameter int unsigned PAGE_BYTES = 4096,
    parameter int unsigned ADDRESS_WIDTH = 40
) (
    input logic clk_i,
    input logic rst_i,

    input  logic        page_write_i,
    input  logic [15:0] page_i,
    input  logic [63:0] page_entry_i,
    output logic        page_ready_o,
    output logic [31:0] refused_o,
    output logic        refused_write_o,
    output logic [ID_WIDTH-1:0] refused_id_o,
    output logic [63:0] refused_address_o,

    input  logic                    s_axi_arvalid,
    output logic                    s_axi_arready,
    input  logic [ID_WIDTH-1:0]     s_axi_arid,
    input  logic [63:0]             s_axi_araddr,
    input  logic [7:0]              s_axi_arlen,
    input  logic [2:0]              s_axi_arsize,
    input  logic [1:0]              s_axi_arburst,
    output logic                    s_axi_rvalid,
    input  logic                    s_axi_rready,
    output logic [ID_WIDTH-1:0]     s_axi_rid,
    output logic [DATA_WIDTH-1:0]   s_axi_rdata,
    output logic [1:0]              s_axi_rresp,
    output logic                    s_axi_rlast,
    input  logic                    s_axi_awvalid,
    output logic                    s_axi_awready,
    input  logic [ID_WIDTH-1:0]     s_axi_awid,
    input  logic [63:0]             s_axi_awaddr,
    input  logic [7:0]              s_axi_awlen,
    input  logic [2:0]              s_axi_awsize,
    input  logic [1:0]              s_axi_awburst,
    input  logic                    s_axi_wvalid,
    output logic                    s_axi_wready,
    input  logic [DATA_WIDTH-1:0]   s_axi_wdata,
    input  logic [DATA_WIDTH/8-1:0] s_axi_wstrb,
    input  logic                    s_axi_wlast,
    output logic                    s_axi_bvalid,
    input  logic                    s_axi_bready,
    output logic [ID_WIDTH-1:0]     s_axi_bid,
    output logic [1:0]              s_axi_bresp,

    output logic                    m_axi_arvalid,
    input  logic                    m_axi_arready,
    output logic [ID_WIDTH-1:0]     m_axi_arid,
    output logic [63:0]             m_axi_araddr,
    output logic [7:0]              m_axi_arlen,
    output logic [2:0]              m_axi_arsize,
    output logic [1:0]              m_axi_arburst,
    input  logic                    m_axi_rvalid,
    output logic                    m_axi_rready,
    input  logic [ID_WIDTH-1:0]     m_axi_rid,
    input  logic [DATA_WIDTH-1:0]   m_axi_rdata,
    input  logic [1:0]              m_axi_rresp,
    input  logic                    m_axi_rlast,
    output logic                    m_axi_awvalid,
    input  logic                    m_axi_awready,
    output logic [ID_WIDTH-1:0]     m_axi_awid,
    output logic [63:0]             m_axi_awaddr,
    output logic [7:0]              m_axi_awlen,
    output logic [2:0]              m_axi_awsize,
    output logic [1:0]              m_axi_awburst,
    output logic                    m_axi_wvalid,
    input  logic                    m_axi_wready,
    output logic [DATA_WIDTH-1:0]   m_axi_wdata,
    output logic [DATA_WIDTH/8-1:0] m_axi_wstrb,
    output logic                    m_axi_wlast,
    input  logic                    m_axi_bvalid,
    output logic                    m_axi_bready,
    input  logic [ID_WIDTH-1:0]     m_axi_bid,
    input  logic [1:0]              m_axi_bresp
);
  lig_axi_pages #(
      .DATA_WIDTH(DATA_WIDTH), .ID_WIDTH(ID_WIDTH), .PAGES(PAGES), .PAGE_BYTES(PAGE_BYTES),
      .ADDRESS_WIDTH(ADDRESS_WIDTH)) dut (.*);
  assign m_axi_arsize = 3'($clog2(DATA_WIDTH / 8));
  assign m_axi_awsize = 3'($clog2(DATA_WIDTH / 8));
  assign m_axi_arburst = 2'b01;
  assign m_axi_awburst = 2'b01;
endmodule
