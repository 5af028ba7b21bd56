// SPDX-License-Identifier: Apache-2.0
//
// lig_axi_if: an AXI4 memory port as one bundle of signals.
//
// Only INCR bursts of whole beats, so size and burst type are constants: nobody drives them, and they are there
// for those who ask. In front of lig_axi_mux the id is 0, behind it the manager's number. A module that only reads
// or only writes takes the half that it drives (read_manager, write_manager); two such modules share a bundle.
// verilator lint_off UNUSEDSIGNAL
// Nobody needs all of it.
interface lig_axi_if #(
    parameter int unsigned DATA_WIDTH = 64,  // bits; a multiple of 8
    parameter int unsigned ID_WIDTH = 1
);
  logic arvalid, arready, rvalid, rready, rlast, awvalid, awready, wvalid, wready, wlast, bvalid, bready;
  logic [ID_WIDTH-1:0] arid, rid, awid, bid;
  logic [63:0] araddr, awaddr;
  logic [7:0] arlen, awlen;
  logic [2:0] arsize = 3'($clog2(DATA_WIDTH / 8));
  logic [2:0] awsize = 3'($clog2(DATA_WIDTH / 8));
  logic [1:0] arburst = 2'b01;
  logic [1:0] awburst = 2'b01;
  logic [DATA_WIDTH-1:0] rdata, wdata;
  logic [DATA_WIDTH/8-1:0] wstrb;
  logic [1:0] rresp, bresp;

  modport read_manager(
      output arvalid, arid, araddr, arlen, rready,
      input arready, rvalid, rid, rdata, rresp, rlast
  );
  modport write_manager(
      output awvalid, awid, awaddr, awlen, wvalid, wdata, wstrb, wlast, bready,
      input awready, wready, bvalid, bid, bresp
  );
  modport manager(
      output arvalid, arid, araddr, arlen, rready, awvalid, awid, awaddr, awlen, wvalid, wdata, wstrb, wlast, bready,
      input arready, rvalid, rid, rdata, rresp, rlast, awready, wready, bvalid, bid, bresp
  );
  modport subordinate(
      input arvalid, arid, araddr, arlen, rready, awvalid, awid, awaddr, awlen, wvalid, wdata, wstrb, wlast, bready,
      output arready, rvalid, rid, rdata, rresp, rlast, awready, wready, bvalid, bid, bresp
  );
  modport monitor(
      input arvalid, arready, rvalid, rready, rlast, awvalid, awready, wvalid, wready, bvalid, bready
  );
endinterface
// verilator lint_on UNUSEDSIGNAL
