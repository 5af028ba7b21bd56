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
    input logic clk_i,
    input logic rst_i, // synchronous, high

    input  logic                  s_axis_tvalid,
    output logic                  s_axis_tready,
    input  logic [DATA_WIDTH-1:0] s_axis_tdata,
    input  logic [KEEP_WIDTH-1:0] s_axis_tkeep,
    input  logic                  s_axis_tlast,

    output logic [OUTPUTS-1:0]                 m_axis_tvalid,
    input  logic [OUTPUTS-1:0]                 m_axis_tready,
    output logic [OUTPUTS-1:0][DATA_WIDTH-1:0] m_axis_tdata,
    output logic [OUTPUTS-1:0][KEEP_WIDTH-1:0] m_axis_tkeep,
    output logic [OUTPUTS-1:0]                 m_axis_tlast
);
  if (DATA_WIDTH < 8 || DATA_WIDTH > 512 || DATA_WIDTH % 8 != 0) begin : g_rule_data_width
    $fatal(1, "lig_bcast: rule data_width: DATA_WIDTH = %0d, a multiple of 8 in 8..512 is needed", DATA_WIDTH);
  end
  if (OUTPUTS < 1 || OUTPUTS > 64) begin : g_rule_outputs
    $fatal(1, "lig_bcast: rule outputs: OUTPUTS = %0d, 1..64 is needed", OUTPUTS);
  end

  // Outputs that have taken the beat which is still at the input.
  logic [OUTPUTS-1:0] done_q;

  assign s_axis_tready = &(m_axis_tready | done_q);
  assign m_axis_tvalid = {OUTPUTS{s_axis_tvalid}} & ~done_q;
  assign m_axis_tdata = {OUTPUTS{s_axis_tdata}};
  assign m_axis_tkeep = {OUTPUTS{s_axis_tkeep}};
  assign m_axis_tlast = {OUTPUTS{s_axis_tlast}};

  always_ff @(posedge clk_i) begin
    if (s_axis_tvalid) done_q <= s_axis_tready ? '0 : done_q | m_axis_tready;
    if (rst_i) done_q <= '0;
  end

`ifdef FORMAL
  initial done_q = '0;
  // A beat that all have taken is gone; nobody has taken a beat that is not there.
  always_comb assert (!(&done_q));
`endif
`ifdef LIG_RULES
  lig_axis_rules #(.DATA_WIDTH(DATA_WIDTH), .KEEP_WIDTH(KEEP_WIDTH), .WHOLE(KEEP_WIDTH == DATA_WIDTH / 8)) rules_s (
      .clk_i, .rst_i, .tvalid(s_axis_tvalid), .tready(s_axis_tready), .tdata(s_axis_tdata),
      .tkeep(s_axis_tkeep), .tlast(s_axis_tlast));
  for (genvar i = 0; i < OUTPUTS; i++) begin : g_rules
    lig_axis_rules #(.DATA_WIDTH(DATA_WIDTH), .KEEP_WIDTH(KEEP_WIDTH), .WHOLE(KEEP_WIDTH == DATA_WIDTH / 8)) rules_m (
        .clk_i, .rst_i, .tvalid(m_axis_tvalid[i]), .tready(m_axis_tready[i]), .tdata(m_axis_tdata[i]),
        .tkeep(m_axis_tkeep[i]), .tlast(m_axis_tlast[i]));
  end
`endif
endmodule
