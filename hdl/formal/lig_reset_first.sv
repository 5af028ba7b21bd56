// SPDX-License-Identifier: Apache-2.0
//
// lig_reset_first: a proof starts in reset, and may be reset again at any time.
module lig_reset_first (
    input logic clk_i, rst_i
);
  logic started_q;
  initial started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  always_comb if (!started_q) assume (rst_i);
endmodule
