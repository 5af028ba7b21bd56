// SPDX-License-Identifier: Apache-2.0
//
// lig_order: beat number n that goes in is beat number n that comes out, for any n. A scoreboard for
// bounded proofs; it remembers one beat, and the solver chooses which. EARLY: a beat may come out in the
// cycle in which it goes in.
//
// The choice is an input of the proof's top, assumed to stay. (Not a register that nothing writes: Yosys
// takes that for an undefined constant, which is another value at each place that reads it.)
module lig_order #(
    parameter int unsigned W = 8,
    parameter bit EARLY = 1'b0
) (
    input logic         clk_i,
    input logic         rst_i,
    input logic         push,
    input logic [W-1:0] in,
    input logic         pop,
    input logic [W-1:0] out,
    input logic [3:0]   number_i  // n
);
  logic known_q;
  logic [3:0] number_q;
  initial known_q = 1'b0;
  always_ff @(posedge clk_i) begin
    known_q <= 1'b1;
    number_q <= number_i;
  end
  always_comb if (known_q) assume (number_i == number_q);

  logic [3:0] pushed_q, popped_q;
  logic [W-1:0] kept_q;

  initial pushed_q = '0;
  initial popped_q = '0;

  always_ff @(posedge clk_i) begin
    if (push && pushed_q != '1) pushed_q <= pushed_q + 1'b1;
    if (pop && popped_q != '1) popped_q <= popped_q + 1'b1;
    if (push && pushed_q == number_i) kept_q <= in;
    if (rst_i) begin
      pushed_q <= '0;
      popped_q <= '0;
    end
  end

  logic [3:0] came;
  logic [W-1:0] expected;
  assign came = pushed_q + 4'(EARLY && push);
  assign expected = EARLY && push && pushed_q == number_i ? in : kept_q;

  always_comb begin
    if (!rst_i && pop && pushed_q != '1 && came != '1) begin
      // Nothing leaves that has not come, and what leaves is what came.
      assert (popped_q < came);
      if (popped_q == number_i) assert (out == expected);
    end
  end
endmodule
