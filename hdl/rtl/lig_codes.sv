// SPDX-License-Identifier: Apache-2.0
//
// lig_codes: keeps the last code that is not 0, and counts them: what is told for a cycle becomes a register.
//
//   latency              1 cycle
//   storage              8 bits and a counter
module lig_codes #(
    parameter int unsigned WIDTH = 4  // bits of a code, 1..8
) (
    input  logic             clk_i, rst_i,  // reset: synchronous, high
    input  logic [WIDTH-1:0] code_i,        // 0: nothing
    output logic [63:0]      value_o        // 0..7 the last code, 32..63 how many, modulo 2^32
);
  if (WIDTH < 1 || WIDTH > 8) begin : g_rule_width
    $fatal(1, "lig_codes: rule width: WIDTH = %0d, 1..8 is needed", WIDTH);
  end

  logic [7:0] last_q;
  logic [31:0] count_q;
  assign value_o = {count_q, 24'd0, last_q};
  always_ff @(posedge clk_i) begin
    if (code_i != '0) begin
      last_q <= 8'(code_i);
      count_q <= count_q + 1'b1;
    end
    if (rst_i) begin
      last_q <= '0;
      count_q <= '0;
    end
  end
endmodule
