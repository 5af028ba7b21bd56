// SPDX-License-Identifier: Apache-2.0
//
// lig_skid, proven: the stream's rules at its output by induction; that nothing is lost, doubled or turned
// around (ORDER) to a bound. The environment is free within the rules.
module lig_skid_formal (
    input logic       clk_i,
    input logic       rst_i,
    input logic       s_valid,
    input logic [7:0] s_data,
    input logic       s_keep,
    input logic       s_last,
    input logic       m_ready,
    input logic [3:0] number  // of the beat that ORDER follows
);
  logic s_ready, m_valid, m_keep, m_last;
  logic [7:0] m_data;

  lig_skid #(.DATA_WIDTH(8)) dut (
      .clk_i, .rst_i,
      .s_axis_tvalid(s_valid), .s_axis_tready(s_ready), .s_axis_tdata(s_data),
      .s_axis_tkeep(s_keep), .s_axis_tlast(s_last),
      .m_axis_tvalid(m_valid), .m_axis_tready(m_ready), .m_axis_tdata(m_data),
      .m_axis_tkeep(m_keep), .m_axis_tlast(m_last));

  logic started_q;
  initial started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  always_comb if (!started_q) assume (rst_i);

  lig_axis_rules #(.DATA_WIDTH(8), .WHOLE(0), .ASSUME(1)) rules_s (
      .clk_i, .rst_i, .tvalid(s_valid), .tready(s_ready), .tdata(s_data), .tkeep(s_keep), .tlast(s_last));
  lig_axis_rules #(.DATA_WIDTH(8), .WHOLE(0)) rules_m (
      .clk_i, .rst_i, .tvalid(m_valid), .tready(m_ready), .tdata(m_data), .tkeep(m_keep), .tlast(m_last));

`ifdef ORDER
  lig_order #(.W(10)) order (
      .clk_i, .rst_i, .push(s_valid && s_ready), .in({s_last, s_keep, s_data}),
      .pop(m_valid && m_ready), .out({m_last, m_keep, m_data}), .number_i(number));
`endif
endmodule
