// SPDX-License-Identifier: Apache-2.0
//
// lig_skid, or lig_fifo (FIFO), proven: the stream's rules at its output by induction; that nothing is lost, doubled or turned
// around (ORDER) to a bound. The environment is free within the rules.
module lig_stage_formal #(
    parameter bit FIFO = 1'b0
) (
    input logic clk_i, rst_i, m_ready, s_valid, s_keep, s_last, input logic [7:0] s_data,
    input logic [3:0] number  // of the beat that ORDER follows
);
  logic s_ready, m_valid, m_keep, m_last;
  logic [7:0] m_data;

  lig_axis_if #(.DATA_WIDTH(8)) s_axis (), m_axis ();
  assign {s_axis.tvalid, s_axis.tdata, s_axis.tkeep, s_axis.tlast} = {s_valid, s_data, s_keep, s_last};
  assign s_ready = s_axis.tready;
  assign {m_valid, m_data, m_keep, m_last} = {m_axis.tvalid, m_axis.tdata, m_axis.tkeep, m_axis.tlast};
  assign m_axis.tready = m_ready;

  if (FIFO) begin : g_fifo
    logic [2:0] unused_level;
    lig_fifo #(.DATA_WIDTH(8), .DEPTH(4)) dut (.clk_i, .rst_i, .s_axis, .m_axis, .level_o(unused_level));
  end else begin : g_skid
    lig_skid #(.DATA_WIDTH(8)) dut (.clk_i, .rst_i, .s_axis, .m_axis);
  end

  lig_reset_first reset_first (.clk_i, .rst_i);

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
