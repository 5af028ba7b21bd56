// SPDX-License-Identifier: Apache-2.0
//
// lig_axil_if: an AXI4-Lite port on registers of 64 bits as one bundle of signals.
// verilator lint_off UNUSEDSIGNAL
// Nobody needs all of it: protection means nothing here.
interface lig_axil_if;
  logic awvalid, awready, wvalid, wready, bvalid, bready, arvalid, arready, rvalid, rready;
  logic [15:0] awaddr, araddr;
  logic [2:0] awprot, arprot;
  logic [63:0] wdata, rdata;
  logic [7:0] wstrb;
  logic [1:0] bresp, rresp;

  modport subordinate(
      input awvalid, awaddr, awprot, wvalid, wdata, wstrb, bready, arvalid, araddr, arprot, rready,
      output awready, wready, bvalid, bresp, arready, rvalid, rdata, rresp
  );
endinterface
// verilator lint_on UNUSEDSIGNAL
