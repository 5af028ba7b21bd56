// SPDX-License-Identifier: Apache-2.0
//
// lig_skid: cuts every path between the two sides of a stream, at full rate.
//
// tvalid, the payload and tready all come from registers, so that a long chain of modules has short
// paths. Two beats fit in: the one that is offered, and the one that the producer hands over in the cycle
// in which it cannot see yet that the consumer stopped (it skids).
//
//   latency              1 cycle
//   initiation interval  1
//   storage              2 beats
//
// Example: one on each side of a long route, or behind a module whose tready depends on its tvalid.
module lig_skid #(
    parameter int unsigned DATA_WIDTH = 64,  // bits; a multiple of 8, 8..512
    parameter int unsigned KEEP_WIDTH = DATA_WIDTH / 8
) (
    input logic clk_i, rst_i,  // reset: synchronous, high

    lig_axis_if.receiver s_axis,
    lig_axis_if.transmitter m_axis
);
  if (DATA_WIDTH < 8 || DATA_WIDTH > 512 || DATA_WIDTH % 8 != 0) begin : g_rule_data_width
    $fatal(1, "lig_skid: rule data_width: DATA_WIDTH = %0d, a multiple of 8 in 8..512 is needed", DATA_WIDTH);
  end

  // Registers of their own for data, keep and last: joined they are a wide word, which simulators handle slowly.
  logic [DATA_WIDTH-1:0] data_q, skid_data_q;
  logic [KEEP_WIDTH-1:0] keep_q, skid_keep_q;
  logic last_q, skid_last_q, out_valid_q, skid_valid_q;

  assign m_axis.tvalid = out_valid_q;
  assign m_axis.tdata = data_q;
  assign m_axis.tkeep = keep_q;
  assign m_axis.tlast = last_q;
  assign s_axis.tready = !skid_valid_q;

  logic move;
  assign move = m_axis.tready || !out_valid_q;

  always_ff @(posedge clk_i) begin
    if (move) begin
      out_valid_q <= s_axis.tvalid || skid_valid_q;
      data_q <= skid_valid_q ? skid_data_q : s_axis.tdata;
      keep_q <= skid_valid_q ? skid_keep_q : s_axis.tkeep;
      last_q <= skid_valid_q ? skid_last_q : s_axis.tlast;
      skid_valid_q <= 1'b0;
    end else if (s_axis.tvalid) begin
      skid_valid_q <= 1'b1;
    end
    // Whether it is a beat is known by skid_valid_q: a late tvalid has two registers to reach, and not all of them.
    if (!skid_valid_q) begin
      skid_data_q <= s_axis.tdata;
      skid_keep_q <= s_axis.tkeep;
      skid_last_q <= s_axis.tlast;
    end
    if (rst_i) begin
      out_valid_q <= 1'b0;
      skid_valid_q <= 1'b0;
    end
  end

`ifdef FORMAL
  // Without it induction starts in a state that no run reaches: the second place taken before the first.
  initial out_valid_q = 1'b0;
  initial skid_valid_q = 1'b0;
  always_comb assert (out_valid_q || !skid_valid_q);
`endif
`ifdef LIG_RULES
  lig_axis_rules #(.DATA_WIDTH(DATA_WIDTH), .KEEP_WIDTH(KEEP_WIDTH)) rules_s (
      .clk_i, .rst_i, .tvalid(s_axis.tvalid), .tready(s_axis.tready), .tdata(s_axis.tdata),
      .tkeep(s_axis.tkeep), .tlast(s_axis.tlast));
  lig_axis_rules #(.DATA_WIDTH(DATA_WIDTH), .KEEP_WIDTH(KEEP_WIDTH)) rules_m (
      .clk_i, .rst_i, .tvalid(m_axis.tvalid), .tready(m_axis.tready), .tdata(m_axis.tdata),
      .tkeep(m_axis.tkeep), .tlast(m_axis.tlast));
`endif
endmodule
