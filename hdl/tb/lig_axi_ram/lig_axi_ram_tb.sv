// SPDX-License-Identifier: Apache-2.0
//
// lig_axi_ram with the signals of AXI4 that it does not need.
// verilator lint_off UNUSEDSIGNAL
module lig_axi_ram_tb #(
    parameter int unsigned DATA_WIDTH = 64
) (
    input logic clk_i, rst_i,

    input  logic                    s_axi_awvalid, s_axi_wvalid, s_axi_wlast, s_axi_bready, s_axi_arvalid, s_axi_rready,
    output logic                    s_axi_awready, s_axi_wready, s_axi_bvalid, s_axi_arready, s_axi_rvalid, s_axi_rlast,
    input  logic [2:0]              s_axi_awid, s_axi_arid, s_axi_awsize, s_axi_arsize,
    output logic [2:0]              s_axi_bid, s_axi_rid,
    input  logic [63:0]             s_axi_awaddr, s_axi_araddr,
    input  logic [7:0]              s_axi_awlen, s_axi_arlen,
    input  logic [1:0]              s_axi_awburst, s_axi_arburst,
    input  logic [DATA_WIDTH-1:0]   s_axi_wdata,
    input  logic [DATA_WIDTH/8-1:0] s_axi_wstrb,
    output logic [DATA_WIDTH-1:0]   s_axi_rdata,
    output logic [1:0]              s_axi_bresp, s_axi_rresp,

    input  logic        host_valid_i, host_write_i,
    output logic        host_ready_o, host_error_o,
    input  logic [30:0] host_address_i,
    input  logic [63:0] host_data_i,
    output logic [63:0] host_data_o
);
  lig_axi_ram #(.DATA_WIDTH(DATA_WIDTH), .ID_WIDTH(3), .ADDRESS_BITS(12)) dut (.*);
endmodule
