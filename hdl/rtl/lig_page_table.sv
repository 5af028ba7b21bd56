// SPDX-License-Identifier: Apache-2.0
//
// lig_page_table: finds where the page of a burst lies in memory. One direction's half of lig_axi_pages.
//
// The memory of the table is read into the register that is the offered announcement, so block RAM needs no further
// one. Each direction has a copy of its own, with one bit that says whether it may go there: two lookups in a cycle,
// from memories with one port to read and one to write, which every family has.
//
// An entry that is written in the cycle of its lookup gives the old one: software writes entries of pages to which
// nothing is on its way. Entries from limit_i on have never been written, and hold anything.
//
//   latency              1 cycle
//   initiation interval  1
//   storage              PAGES entries of ADDRESS_WIDTH - log2(PAGE_BYTES) + 1 bits, and one announcement
module lig_page_table #(
    parameter int unsigned PAGES = 4096,        // entries; a power of two, 2..65536
    parameter int unsigned PAGE_BYTES = 4096,   // a power of two, 4096 or more
    parameter int unsigned ADDRESS_WIDTH = 40,  // bits of an address of memory
    parameter int unsigned ID_WIDTH = 1
) (
    input logic clk_i, rst_i,  // reset: synchronous, high; the table keeps what it has, limit_i says what counts of it

    input logic                                        write_i,
    input logic [$clog2(PAGES)-1:0]                    page_i,
    input logic [ADDRESS_WIDTH-1:$clog2(PAGE_BYTES)]   frame_i,
    input logic                                        allowed_i,
    input logic [$clog2(PAGES):0]                      limit_i,

    input  logic                s_valid,
    output logic                s_ready,
    input  logic [63:0]         s_address,  // page and offset
    input  logic [ID_WIDTH-1:0] s_id,
    input  logic [7:0]          s_length,

    output logic                m_valid,
    input  logic                m_ready,
    output logic                m_allowed,  // else the next three are what was asked for, and nothing may go there
    output logic [63:0]         m_address,
    output logic [ID_WIDTH-1:0] m_id,
    output logic [7:0]          m_length,
    output logic [63:0]         m_asked     // s_address
);
  localparam int unsigned O = $clog2(PAGE_BYTES);
  localparam int unsigned P = $clog2(PAGES);

  logic [ADDRESS_WIDTH-O:0] entries[PAGES];
  logic [ADDRESS_WIDTH-O:0] entry_q;  // frame and allowed
  logic [63:0] asked_q;
  logic [ID_WIDTH-1:0] id_q;
  logic [7:0] length_q;
  logic valid_q, known_q, take;

  assign s_ready = !valid_q || m_ready;
  assign take = s_valid && s_ready;
  assign m_valid = valid_q;
  assign m_allowed = known_q && entry_q[0];
  assign m_address = 64'({entry_q[ADDRESS_WIDTH-O:1], asked_q[O-1:0]});
  assign m_id = id_q;
  assign m_length = length_q;
  assign m_asked = asked_q;

  always_ff @(posedge clk_i) begin
    if (write_i) entries[page_i] <= {frame_i, allowed_i};
  end

  always_ff @(posedge clk_i) begin
    if (take) entry_q <= entries[s_address[O+:P]];
  end

  always_ff @(posedge clk_i) begin
    if (take) begin
      asked_q <= s_address;
      id_q <= s_id;
      length_q <= s_length;
      known_q <= s_address[63:O+P] == '0 && {1'b0, s_address[O+:P]} < limit_i;
    end
    if (take) valid_q <= 1'b1;
    else if (m_ready) valid_q <= 1'b0;
    if (rst_i) valid_q <= 1'b0;
  end

`ifdef FORMAL
  initial valid_q = 1'b0;
`endif
endmodule
