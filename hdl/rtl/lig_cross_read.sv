// SPDX-License-Identifier: Apache-2.0
//
// lig_cross_read: the side of lig_cross that gives words. All of it has this side's clock, but for write_gray_i,
// which lig_sync brings over, and word_i, which has been standing still since before that count came.
module lig_cross_read #(
    parameter int unsigned WIDTH = 64,
    parameter int unsigned DEPTH = 16,
    parameter int unsigned SYNC_STAGES = 2,
    localparam int unsigned A = $clog2(DEPTH)
) (
    input logic clk_i, rst_i,  // reset: synchronous, high

    input  logic [A:0]       write_gray_i,  // words that came, modulo 2 DEPTH; of the other clock
    output logic [A:0]       read_gray_o,   // words that left
    output logic [A-1:0]     address_o,
    input  logic [WIDTH-1:0] word_i,        // of the other clock

    output logic             valid_o,
    input  logic             ready_i,
    output logic [WIDTH-1:0] data_o
);
  logic [A:0] read_q, read_gray_q, next, write_seen;
  logic [WIDTH-1:0] out_q;
  logic out_valid_q, pop;
  assign next = read_q + 1'b1;
  assign pop = read_gray_q != write_seen && (ready_i || !out_valid_q);
  assign read_gray_o = read_gray_q;
  assign address_o = read_q[A-1:0];
  assign valid_o = out_valid_q;
  assign data_o = out_q;

  lig_sync #(.WIDTH(A + 1), .STAGES(SYNC_STAGES)) writes (.clk_i, .rst_i, .data_i(write_gray_i), .data_o(write_seen));

  always_ff @(posedge clk_i) begin
    if (pop) out_q <= word_i;
  end

  always_ff @(posedge clk_i) begin
    if (pop) begin
      read_q <= next;
      read_gray_q <= next ^ (next >> 1);
    end
    if (pop) out_valid_q <= 1'b1;
    else if (ready_i) out_valid_q <= 1'b0;
    if (rst_i) begin
      read_q <= '0;
      read_gray_q <= '0;
      out_valid_q <= 1'b0;
    end
  end
endmodule
