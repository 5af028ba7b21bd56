// SPDX-License-Identifier: Apache-2.0
//
// lig_store: the memory of a queue, and the register that offers what was read from it.
//
// What lig_fifo, lig_fifo_drop and lig_fifo_last have in common; they keep the addresses. The memory is read into
// the register that is the offered beat, so block RAM needs no further one. A beat is read (pop_o) when there
// is one (any_i) and the register is free or being taken.
//
//   latency              1 cycle from any_i to the offer
//   initiation interval  1
//   storage              2^ADDRESS_WIDTH beats, and one that is offered
module lig_store #(
    parameter int unsigned WIDTH = 73,         // bits of a beat
    parameter int unsigned ADDRESS_WIDTH = 9
) (
    input logic clk_i, rst_i,  // reset: synchronous, high

    input logic                     push_i,
    input logic [ADDRESS_WIDTH-1:0] push_address_i,
    input logic [WIDTH-1:0]         push_data_i,

    input  logic                     any_i,          // the beat at pop_address_i may leave
    input  logic [ADDRESS_WIDTH-1:0] pop_address_i,
    output logic                     pop_o,          // it leaves the memory in this cycle

    output logic             valid_o,
    input  logic             ready_i,
    output logic [WIDTH-1:0] data_o
);
  logic [WIDTH-1:0] memory[1<<ADDRESS_WIDTH];
  logic [WIDTH-1:0] data_q;
  logic valid_q;

  assign pop_o = any_i && (ready_i || !valid_q);
  assign valid_o = valid_q;
  assign data_o = data_q;

  always_ff @(posedge clk_i) begin
    if (push_i) memory[push_address_i] <= push_data_i;
  end

  always_ff @(posedge clk_i) begin
    if (pop_o) data_q <= memory[pop_address_i];
  end

  always_ff @(posedge clk_i) begin
    if (pop_o) valid_q <= 1'b1;
    else if (ready_i) valid_q <= 1'b0;
    if (rst_i) valid_q <= 1'b0;
  end

`ifdef FORMAL
  initial valid_q = 1'b0;
`endif
endmodule
