// SPDX-License-Identifier: Apache-2.0
//
// lig_port_stats: how well a memory port is used. It watches and drives nothing.
//
//   busy_o    cycles in which something was asked for and not yet answered, or waited to be asked for
//   reads_o   beats of data that came      writes_o   beats of data that went
//
// The efficiency of a port that only reads or only writes at a time is (reads + writes) / busy: the share of
// its cycles that moved data while somebody waited for data. Both directions at once can reach 2. Counters saturate.
//
//   latency              counts are one cycle behind
//   storage              3 counters of COUNTER_WIDTH bits, 2 of 16
module lig_port_stats #(
    parameter int unsigned COUNTER_WIDTH = 48  // bits; 8..64
) (
    input logic clk_i, rst_i,  // reset: synchronous, high
    input logic clear_i,

    lig_axi_if.monitor axi,

    output logic [COUNTER_WIDTH-1:0] busy_o, reads_o, writes_o
);
  if (COUNTER_WIDTH < 8 || COUNTER_WIDTH > 64) begin : g_rule_counter_width
    $fatal(1, "lig_port_stats: rule counter_width: COUNTER_WIDTH = %0d, 8..64 is needed", COUNTER_WIDTH);
  end

  logic [15:0] asked_q, announced_q;  // bursts without an end
  logic busy;
  assign busy = asked_q != '0 || announced_q != '0 || axi.arvalid || axi.awvalid || axi.wvalid;

  // Simulators: nothing else counts.
  logic clk;
  lig_gate gate (.clk_i, .rst_i, .wake_i(busy || axi.rvalid || axi.bvalid || clear_i), .clk_o(clk));

  function automatic logic [COUNTER_WIDTH-1:0] next(input logic [COUNTER_WIDTH-1:0] count, input logic step);
    return count + COUNTER_WIDTH'(step && !(&count));
  endfunction

  always_ff @(posedge clk) begin
    asked_q <= asked_q + 16'(axi.arvalid && axi.arready) - 16'(axi.rvalid && axi.rready && axi.rlast);
    announced_q <= announced_q + 16'(axi.awvalid && axi.awready) - 16'(axi.bvalid && axi.bready);
    busy_o <= next(busy_o, busy);
    reads_o <= next(reads_o, axi.rvalid && axi.rready);
    writes_o <= next(writes_o, axi.wvalid && axi.wready);
    if (rst_i || clear_i) begin
      busy_o <= '0;
      reads_o <= '0;
      writes_o <= '0;
    end
    if (rst_i) begin
      asked_q <= '0;
      announced_q <= '0;
    end
  end
endmodule
