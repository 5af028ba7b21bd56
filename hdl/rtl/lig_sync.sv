// SPDX-License-Identifier: Apache-2.0
//
// lig_sync: brings levels from another clock into this one, through STAGES registers.
//
// Crossing of clock domains. The first register may be sampled amidst a change, and is then undecided for a while;
// each further register gives it a period to decide. Several bits may arrive a cycle apart, so only what may be
// read either way at a change goes through here: one level, or a Gray code, of which one bit changes per step.
// What tools must be told: lig_cross.xdc.
//
//   latency   STAGES cycles, at most one more
module lig_sync #(
    parameter int unsigned WIDTH = 1,
    parameter int unsigned STAGES = 2  // 2..4
) (
    input  logic             clk_i,
    input  logic             rst_i,   // synchronous, high
    input  logic [WIDTH-1:0] data_i,  // of another clock, from registers
    output logic [WIDTH-1:0] data_o
);
  if (STAGES < 2 || STAGES > 4) begin : g_rule_sync_stages
    $fatal(1, "lig_sync: rule sync_stages: STAGES = %0d, 2..4 is needed", STAGES);
  end

  (* ASYNC_REG = "TRUE" *) logic [STAGES-1:0][WIDTH-1:0] seen_q;
  assign data_o = seen_q[STAGES-1];
  always_ff @(posedge clk_i) begin
    seen_q <= {seen_q[STAGES-2:0], data_i};
    if (rst_i) seen_q <= '0;
  end
endmodule
