// SPDX-License-Identifier: Apache-2.0
//
// lig_bcast: gives every beat of one stream to each of OUTPUTS streams.
//
// Each output completes on its own: a consumer that is ready takes its beat at once and does not wait for
// the others; a beat leaves the input when the last one has taken it. So a slow consumer holds the others
// back by one beat at most before its own stall reaches them; put a queue behind an output that may stall.
// (A broadcast that waits until all are ready at once can deadlock where consumers depend on each other.)
//
//   latency              0 cycles (no register in the payload)
//   initiation interval  1
//   storage              one bit per output
module lig_bcast #(
    parameter int unsigned DATA_WIDTH = 64,  // bits; a multiple of 8, 8..512
    parameter int unsigned KEEP_WIDTH = DATA_WIDTH / 8,
    parameter int unsigned OUTPUTS = 2       // 1..64
) (
    input logic clk_i, rst_i,  // reset: synchronous, high

    lig_axis_if.receiver s_axis,
    lig_axis_if.transmitter m_axis[OUTPUTS]
);
  if (DATA_WIDTH < 8 || DATA_WIDTH > 512 || DATA_WIDTH % 8 != 0) begin : g_rule_data_width
    $fatal(1, "lig_bcast: rule data_width: DATA_WIDTH = %0d, a multiple of 8 in 8..512 is needed", DATA_WIDTH);
  end
  if (OUTPUTS < 1 || OUTPUTS > 64) begin : g_rule_outputs
    $fatal(1, "lig_bcast: rule outputs: OUTPUTS = %0d, 1..64 is needed", OUTPUTS);
  end

  // Outputs that have taken the beat which is still at the input.
  logic [OUTPUTS-1:0] done_q;

  logic [OUTPUTS-1:0] ready;
  assign s_axis.tready = &(ready | done_q);
  for (genvar i = 0; i < OUTPUTS; i++) begin : g_output
    assign m_axis[i].tvalid = s_axis.tvalid && !done_q[i];
    assign m_axis[i].tdata = s_axis.tdata;
    assign m_axis[i].tkeep = KEEP_WIDTH'(s_axis.tkeep);
    assign m_axis[i].tlast = s_axis.tlast;
    assign ready[i] = m_axis[i].tready;
  end

  always_ff @(posedge clk_i) begin
    if (s_axis.tvalid) done_q <= s_axis.tready ? '0 : done_q | ready;
    if (rst_i) done_q <= '0;
  end

`ifdef FORMAL
  initial done_q = '0;
  // A beat that all have taken is gone; nobody has taken a beat that is not there.
  always_comb assert (!(&done_q));
`endif
`ifdef LIG_RULES
  lig_axis_rules #(.DATA_WIDTH(DATA_WIDTH), .KEEP_WIDTH(KEEP_WIDTH)) rules_s (
      .clk_i, .rst_i, .tvalid(s_axis.tvalid), .tready(s_axis.tready), .tdata(s_axis.tdata),
      .tkeep(s_axis.tkeep), .tlast(s_axis.tlast));
  for (genvar i = 0; i < OUTPUTS; i++) begin : g_rules
    lig_axis_rules #(.DATA_WIDTH(DATA_WIDTH), .KEEP_WIDTH(KEEP_WIDTH)) rules_m (
        .clk_i, .rst_i, .tvalid(m_axis[i].tvalid), .tready(m_axis[i].tready), .tdata(m_axis[i].tdata),
        .tkeep(m_axis[i].tkeep), .tlast(m_axis[i].tlast));
  end
`endif
endmodule
