// SPDX-License-Identifier: Apache-2.0
//
// lig_axi_pages: lets the masters of a memory port use memory whose pages lie anywhere, and no other memory.
//
// To software a message is one run of bytes; in the memory of a machine without an IOMMU its pages are scattered. This
// stands between lig_axi_mux and the port. An address on the side of the masters is a page's number and the offset in
// it; a table says where in memory the page lies, whether it may be read, and whether it may be written. INCR
// bursts do not cross 4096 bytes, so each lies in one page and is looked up once: what is contiguous for the masters is
// gathered from memory, and scattered to it, burst by burst. spec/device/pages.md has the why.
//
// What may not be touched never reaches memory: the burst is answered with DECERR here, counted and named (refused_o and
// what follows). It waits until all bursts of its direction before it are answered, as AXI wants answers of one master
// in their order; bursts behind it wait as long. That is the price of an error, and only of one.
//
// Entries are written one behind the other from page 0 on (page_ready_o), later ones anew in any order: after a
// reset no entry counts, with no cycle spent on clearing them. Nothing may be on its way to a page whose entry is
// written.
//
// Write data are offered when their announcement has been taken, as lig_axi_mux does it.
//
//   latency              1 cycle for announcements, 0 for data and answers
//   initiation interval  1
//   storage              two lig_page_table
module lig_axi_pages #(
    parameter int unsigned DATA_WIDTH = 64,     // bits; a multiple of 8
    parameter int unsigned ID_WIDTH = 1,        // 1..8
    parameter int unsigned PAGES = 4096,        // a power of two, 2..65536
    parameter int unsigned PAGE_BYTES = 4096,   // a power of two, 4096..2^30
    parameter int unsigned ADDRESS_WIDTH = 40   // bits of an address of memory, up to 64; more than a page's
) (
    input logic clk_i, rst_i,  // reset: synchronous, high; memory must be reset with it: what is on its way is forgotten

    input  logic        page_write_i,
    input  logic [15:0] page_i,
    input  logic [63:0] page_entry_i,  // where the page lies; bit 0: it may be read, bit 1: written
    output logic        page_ready_o,  // such an entry may be written: all before it have been, and addresses reach there

    output logic [31:0]         refused_o,          // bursts that were answered here; stops before it would begin anew
    output logic                refused_write_o,    // the last of them: its direction, master and address
    output logic [ID_WIDTH-1:0] refused_id_o,
    output logic [63:0]         refused_address_o,

    lig_axi_if.subordinate s_axi,
    lig_axi_if.manager m_axi
);
  if (DATA_WIDTH < 8 || DATA_WIDTH > 512 || DATA_WIDTH % 8 != 0) begin : g_rule_data_width
    $fatal(1, "lig_axi_pages: rule data_width: DATA_WIDTH = %0d, a multiple of 8 in 8..512 is needed", DATA_WIDTH);
  end
  if (ID_WIDTH < 1 || ID_WIDTH > 8) begin : g_rule_id_width
    $fatal(1, "lig_axi_pages: rule id_width: ID_WIDTH = %0d, 1..8 is needed", ID_WIDTH);
  end
  if (PAGES < 2 || PAGES > 65536 || (PAGES & (PAGES - 1)) != 0) begin : g_rule_pages
    $fatal(1, "lig_axi_pages: rule pages: PAGES = %0d, a power of two in 2..65536 is needed", PAGES);
  end
  if (PAGE_BYTES < 4096 || PAGE_BYTES > 1 << 30 || (PAGE_BYTES & (PAGE_BYTES - 1)) != 0) begin : g_rule_page_bytes
    $fatal(1, "lig_axi_pages: rule page_bytes: PAGE_BYTES = %0d, a power of two in 4096..2^30 is needed", PAGE_BYTES);
  end
  if (ADDRESS_WIDTH <= $clog2(PAGE_BYTES) || ADDRESS_WIDTH > 64) begin : g_rule_address_width
    $fatal(1, "lig_axi_pages: rule address_width: ADDRESS_WIDTH = %0d, more bits than a page's offset, up to 64, are needed",
           ADDRESS_WIDTH);
  end

  localparam int unsigned O = $clog2(PAGE_BYTES);
  localparam int unsigned P = $clog2(PAGES);
  localparam logic [1:0] DecodeError = 2'b11;

  // --- the table ------------------------------------------------------------------------------------------

  logic [P:0] limit_q;  // pages before it have been written since the reset
  logic write, unused_entry;
  assign page_ready_o =
      32'(page_i) < PAGES && 32'(page_i) <= 32'(limit_q) && page_entry_i >> ADDRESS_WIDTH == '0;
  assign write = page_write_i && page_ready_o;
  assign unused_entry = ^page_entry_i;  // not all bits of an offset mean something

  always_ff @(posedge clk_i) begin
    if (write && 32'(page_i) == 32'(limit_q)) limit_q <= limit_q + 1'b1;
    if (rst_i) limit_q <= '0;
  end

  // --- reads ----------------------------------------------------------------------------------------------

  logic ar_valid, ar_ready, ar_allowed, read_refused;
  logic [63:0] ar_asked;
  lig_page_table #(.PAGES(PAGES), .PAGE_BYTES(PAGE_BYTES), .ADDRESS_WIDTH(ADDRESS_WIDTH), .ID_WIDTH(ID_WIDTH)) read_table (
      .clk_i, .rst_i,
      .write_i(write), .page_i(page_i[P-1:0]), .frame_i(page_entry_i[ADDRESS_WIDTH-1:O]), .allowed_i(page_entry_i[0]),
      .limit_i(limit_q),
      .s_valid(s_axi.arvalid), .s_ready(s_axi.arready), .s_address(s_axi.araddr), .s_id(s_axi.arid), .s_length(s_axi.arlen),
      .m_valid(ar_valid), .m_ready(ar_ready), .m_allowed(ar_allowed), .m_address(m_axi.araddr), .m_id(m_axi.arid),
      .m_length(m_axi.arlen), .m_asked(ar_asked));

  logic [15:0] reads_q;  // bursts that memory has not answered whole
  logic [7:0] beat_q;    // of the answer that is given here
  logic refuse_read;     // an answer is given here, and memory has none to give
  assign refuse_read = ar_valid && !ar_allowed && reads_q == '0;
  assign read_refused = refuse_read && s_axi.rready && beat_q == m_axi.arlen;
  assign m_axi.arvalid = ar_valid && ar_allowed;
  assign ar_ready = ar_allowed ? m_axi.arready : read_refused;

  assign s_axi.rvalid = refuse_read || m_axi.rvalid;
  assign s_axi.rid = refuse_read ? m_axi.arid : m_axi.rid;
  assign s_axi.rdata = m_axi.rdata;
  assign s_axi.rresp = refuse_read ? DecodeError : m_axi.rresp;
  assign s_axi.rlast = refuse_read ? beat_q == m_axi.arlen : m_axi.rlast;
  assign m_axi.rready = s_axi.rready;

  always_ff @(posedge clk_i) begin
    reads_q <= reads_q + 16'(m_axi.arvalid && m_axi.arready) - 16'(m_axi.rvalid && m_axi.rready && m_axi.rlast);
    if (refuse_read && s_axi.rready) beat_q <= read_refused ? '0 : beat_q + 1'b1;
    if (rst_i) begin
      reads_q <= '0;
      beat_q <= '0;
    end
  end

  // --- writes ---------------------------------------------------------------------------------------------

  logic aw_valid, aw_ready, aw_allowed, write_refused;
  logic [63:0] aw_asked;
  lig_page_table #(.PAGES(PAGES), .PAGE_BYTES(PAGE_BYTES), .ADDRESS_WIDTH(ADDRESS_WIDTH), .ID_WIDTH(ID_WIDTH)) write_table (
      .clk_i, .rst_i,
      .write_i(write), .page_i(page_i[P-1:0]), .frame_i(page_entry_i[ADDRESS_WIDTH-1:O]), .allowed_i(page_entry_i[1]),
      .limit_i(limit_q),
      .s_valid(s_axi.awvalid), .s_ready(s_axi.awready), .s_address(s_axi.awaddr), .s_id(s_axi.awid), .s_length(s_axi.awlen),
      .m_valid(aw_valid), .m_ready(aw_ready), .m_allowed(aw_allowed), .m_address(m_axi.awaddr), .m_id(m_axi.awid),
      .m_length(m_axi.awlen), .m_asked(aw_asked));

  logic [15:0] writes_q;     // bursts that memory has not answered
  logic [15:0] announced_q;  // bursts announced to memory whose data are not out
  logic swallowed_q;         // the data of the burst that is refused have been taken
  logic refuse_write;        // all before it is done: its data are taken and answered here
  assign refuse_write = aw_valid && !aw_allowed && writes_q == '0 && announced_q == '0;
  assign write_refused = refuse_write && swallowed_q && s_axi.bready;
  assign m_axi.awvalid = aw_valid && aw_allowed;
  assign aw_ready = aw_allowed ? m_axi.awready : write_refused;

  assign m_axi.wvalid = s_axi.wvalid && announced_q != '0;
  assign s_axi.wready = announced_q != '0 ? m_axi.wready : refuse_write && !swallowed_q;
  assign m_axi.wdata = s_axi.wdata;
  assign m_axi.wstrb = s_axi.wstrb;
  assign m_axi.wlast = s_axi.wlast;

  assign s_axi.bvalid = refuse_write ? swallowed_q : m_axi.bvalid;
  assign s_axi.bid = refuse_write ? m_axi.awid : m_axi.bid;
  assign s_axi.bresp = refuse_write ? DecodeError : m_axi.bresp;
  assign m_axi.bready = s_axi.bready;

  always_ff @(posedge clk_i) begin
    writes_q <= writes_q + 16'(m_axi.awvalid && m_axi.awready) - 16'(m_axi.bvalid && m_axi.bready);
    announced_q <= announced_q + 16'(m_axi.awvalid && m_axi.awready) - 16'(m_axi.wvalid && m_axi.wready && m_axi.wlast);
    if (refuse_write && s_axi.wvalid && s_axi.wready && s_axi.wlast) swallowed_q <= 1'b1;
    if (write_refused) swallowed_q <= 1'b0;
    if (rst_i) begin
      writes_q <= '0;
      announced_q <= '0;
      swallowed_q <= 1'b0;
    end
  end

  // --- what was refused -----------------------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (read_refused || write_refused) begin
      refused_write_o <= write_refused;
      refused_id_o <= write_refused ? m_axi.awid : m_axi.arid;
      refused_address_o <= write_refused ? aw_asked : ar_asked;
      if (refused_o[31:1] != '1) refused_o <= refused_o + 32'(read_refused) + 32'(write_refused);
    end
    if (rst_i) begin
      refused_o <= '0;
      refused_write_o <= 1'b0;
      refused_id_o <= '0;
      refused_address_o <= '0;
    end
  end

`ifdef LIG_RULES
  // What memory answers was asked for: nothing of it comes while an answer is given here.
  always_ff @(posedge clk_i) begin
    if (!rst_i && m_axi.rvalid && reads_q == '0) $fatal(1, "%m: rule asked: a beat that nobody asked for");
    if (!rst_i && m_axi.bvalid && writes_q == '0) $fatal(1, "%m: rule asked: an answer to no burst");
    if (!rst_i && s_axi.wvalid && s_axi.wready && s_axi.wlast && announced_q == '0 && !refuse_write)
      $fatal(1, "%m: rule order: data without an announcement");
  end
`endif
endmodule
