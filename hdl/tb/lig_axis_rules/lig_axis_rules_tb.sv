// SPDX-License-Identifier: Apache-2.0
//
// One stream that breaks the rule rule_i, and its watchers: 0 none, 1 reset, 2 retract, 3 stable, 4 whole,
// 5 tail; 6 rest, of lig_rest_rules.
module lig_axis_rules_tb (
    input logic       clk_i,
    input logic [2:0] rule_i
);
  logic [4:0] cycle_q;
  initial cycle_q = '0;
  always_ff @(posedge clk_i) begin
    cycle_q <= cycle_q + 1'b1;
    if (cycle_q == 5'd20) $finish;
  end

  logic rst, valid, ready, last, moves;
  logic [31:0] data;
  logic [3:0] keep;
  always_comb begin
    rst = cycle_q < 5'd3;
    valid = cycle_q >= 5'd5 && cycle_q < 5'd15;
    ready = cycle_q >= 5'd8;
    last = cycle_q == 5'd14;
    data = cycle_q > 5'd8 ? 32'(cycle_q) : 32'd5;
    keep = last ? 4'b0011 : 4'b1111;
    moves = cycle_q >= 5'd8 || rule_i == 3'd3;
    case (rule_i)
      3'd1: valid = cycle_q >= 5'd3;
      3'd2: valid = cycle_q >= 5'd5 && cycle_q != 5'd7;
      3'd3: data = 32'(cycle_q);
      3'd4: keep = 4'b0111;
      3'd5: keep = last ? 4'b0101 : 4'b1111;
      3'd6: moves = cycle_q >= 5'd12;
      default: ;
    endcase
  end

  lig_axis_rules #(.DATA_WIDTH(32)) rules (
      .clk_i, .rst_i(rst), .tvalid(valid), .tready(ready), .tdata(data), .tkeep(keep), .tlast(last));
  lig_rest_rules #(.WIDTH(32)) rest_rules (.clk_i, .rst_i(rst), .moves_i(moves), .is_i(data));
endmodule
