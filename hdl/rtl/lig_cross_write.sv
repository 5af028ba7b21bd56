// SPDX-License-Identifier: Apache-2.0
//
// lig_cross_write: the side of lig_cross that takes words, with the memory. All of it has this side's clock, but for
// read_gray_i, which lig_sync brings over, and the word that leaves the memory.
module lig_cross_write #(
    parameter int unsigned WIDTH = 64,
    parameter int unsigned DEPTH = 16,
    parameter int unsigned SYNC_STAGES = 2,
    localparam int unsigned A = $clog2(DEPTH)
) (
    input logic clk_i, rst_i,  // reset: synchronous, high

    input  logic             valid_i,
    output logic             ready_o,
    input  logic [WIDTH-1:0] data_i,

    output logic [A:0]       write_gray_o,  // words that came, modulo 2 DEPTH
    input  logic [A:0]       read_gray_i,   // words that left; of the other clock
    input  logic [A-1:0]     address_i,     // of the other clock: stays until the word was read
    output logic [WIDTH-1:0] word_o
);
  // A whole turn apart, two Gray codes differ in their two top bits.
  localparam logic [A:0] Turn = {2'b11, {(A - 1) {1'b0}}};

  logic [WIDTH-1:0] memory[DEPTH];
  logic [A:0] write_q, write_gray_q, next, read_seen;
  logic push;
  assign next = write_q + 1'b1;
  // In reset nothing is taken: it would be forgotten.
  assign ready_o = write_gray_q != (read_seen ^ Turn) && !rst_i;
  assign push = valid_i && ready_o;
  assign write_gray_o = write_gray_q;
  assign word_o = memory[address_i];

  lig_sync #(.WIDTH(A + 1), .STAGES(SYNC_STAGES)) reads (.clk_i, .rst_i, .data_i(read_gray_i), .data_o(read_seen));

  always_ff @(posedge clk_i) begin
    if (push) memory[write_q[A-1:0]] <= data_i;
  end

  always_ff @(posedge clk_i) begin
    if (push) begin
      write_q <= next;
      write_gray_q <= next ^ (next >> 1);
    end
    if (rst_i) begin
      write_q <= '0;
      write_gray_q <= '0;
    end
  end
endmodule
