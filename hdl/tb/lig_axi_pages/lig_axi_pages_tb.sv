// SPDX-License-Identifier: Apache-2.0
//
// lig_axi_pages between a master and a memory of cocotbext-axi.
module lig_axi_pages_tb #(
    parameter int unsigned DATA_WIDTH = 64,
    parameter int unsigned ID_WIDTH = 2,
    parameter int unsigned PAGES = 16,
    parameter int unsigned PAGE_BYTES = 4096,
    parameter int unsigned ADDRESS_WIDTH = 40
) (
    input logic clk_i, rst_i,
    input logic page_write_i, input logic [15:0] page_i, input logic [63:0] page_entry_i, output logic page_ready_o,
    output logic [31:0] refused_o, output logic refused_write_o,
    output logic [ID_WIDTH-1:0] refused_id_o, output logic [63:0] refused_address_o
);
  lig_axi_if #(.DATA_WIDTH(DATA_WIDTH), .ID_WIDTH(ID_WIDTH)) s_axi (), m_axi ();
  lig_axi_pages #(
      .DATA_WIDTH(DATA_WIDTH), .ID_WIDTH(ID_WIDTH), .PAGES(PAGES), .PAGE_BYTES(PAGE_BYTES),
      .ADDRESS_WIDTH(ADDRESS_WIDTH)) dut (.*);
endmodule
