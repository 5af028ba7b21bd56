// SPDX-License-Identifier: Apache-2.0
//
// lig_queue: words wait, first in, first out; when it is full it takes none. lig_fifo is one of beats.
//
//   latency              2 cycles
//   initiation interval  1
//   storage              DEPTH words, and one that is offered
module lig_queue #(
    parameter int unsigned WIDTH = 64,  // bits
    parameter int unsigned DEPTH = 512  // words; a power of two, 2..65536
) (
    input logic clk_i, rst_i,  // reset: synchronous, high

    input  logic             valid_i,
    output logic             ready_o,
    input  logic [WIDTH-1:0] data_i,

    output logic             valid_o,
    input  logic             ready_i,
    output logic [WIDTH-1:0] data_o,

    output logic [$clog2(DEPTH):0] level_o  // words stored, without the offered one
);
  if (DEPTH < 2 || DEPTH > 65536 || (DEPTH & (DEPTH - 1)) != 0) begin : g_rule_depth
    $fatal(1, "lig_queue: rule depth: DEPTH = %0d, a power of two in 2..65536 is needed", DEPTH);
  end

  localparam int unsigned A = $clog2(DEPTH);

  // One bit more than an address: equal pointers are empty, pointers a whole turn apart are full.
  logic [A:0] write_q, read_q;

  logic full, empty, push, pop;
  assign full = write_q == (read_q ^ {1'b1, {A{1'b0}}});
  assign empty = write_q == read_q;
  assign push = valid_i && !full;

  assign ready_o = !full;
  assign level_o = write_q - read_q;

  lig_store #(.WIDTH(WIDTH), .ADDRESS_WIDTH(A)) store (
      .clk_i, .rst_i, .push_i(push), .push_address_i(write_q[A-1:0]), .push_data_i(data_i),
      .any_i(!empty), .pop_address_i(read_q[A-1:0]), .pop_o(pop), .valid_o, .ready_i, .data_o);

  always_ff @(posedge clk_i) begin
    if (push) write_q <= write_q + 1'b1;
    if (pop) read_q <= read_q + 1'b1;
    if (rst_i) begin
      write_q <= '0;
      read_q <= '0;
    end
  end

`ifdef FORMAL
  initial write_q = '0;
  initial read_q = '0;
  always_comb assert (level_o <= (A + 1)'(DEPTH));
`endif
endmodule
