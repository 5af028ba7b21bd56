// SPDX-License-Identifier: Apache-2.0
//
// lig_bcast, proven: the stream's rules at each output by induction; that each consumer gets every beat
// once and in order (ORDER) to a bound. The environment is free within the rules.
module lig_bcast_formal (
    input logic clk_i, rst_i, s_valid, s_keep, s_last, input logic [7:0] s_data,
    input logic [2:0] m_ready,
    input logic [3:0] number  // of the beat that ORDER follows
);
  logic s_ready;
  logic [2:0] m_valid, m_keep, m_last;
  logic [2:0][7:0] m_data;

  lig_axis_if #(.DATA_WIDTH(8)) s_axis (), m_axis[3] ();
  assign {s_axis.tvalid, s_axis.tdata, s_axis.tkeep, s_axis.tlast} = {s_valid, s_data, s_keep, s_last};
  assign s_ready = s_axis.tready;
  for (genvar i = 0; i < 3; i++) begin : g_flat
    assign {m_valid[i], m_data[i], m_keep[i], m_last[i]} = {
        m_axis[i].tvalid, m_axis[i].tdata, m_axis[i].tkeep, m_axis[i].tlast};
    assign m_axis[i].tready = m_ready[i];
  end
  lig_bcast #(.DATA_WIDTH(8), .OUTPUTS(3)) dut (.clk_i, .rst_i, .s_axis, .m_axis);

  lig_reset_first reset_first (.clk_i, .rst_i);

  lig_axis_rules #(.DATA_WIDTH(8), .WHOLE(0), .ASSUME(1)) rules_s (
      .clk_i, .rst_i, .tvalid(s_valid), .tready(s_ready), .tdata(s_data), .tkeep(s_keep), .tlast(s_last));

  for (genvar i = 0; i < 3; i++) begin : g_output
    lig_axis_rules #(.DATA_WIDTH(8), .WHOLE(0)) rules_m (
        .clk_i, .rst_i, .tvalid(m_valid[i]), .tready(m_ready[i]), .tdata(m_data[i]), .tkeep(m_keep[i]),
        .tlast(m_last[i]));
`ifdef ORDER
    // A consumer may have its beat before it leaves the input: what went in is what was first offered.
    logic begun_q;
    initial begun_q = 1'b0;
    always_ff @(posedge clk_i) begun_q <= !rst_i && s_valid && !s_ready;
    lig_order #(.W(10), .EARLY(1)) order (
        .clk_i, .rst_i, .push(s_valid && !begun_q), .in({s_last, s_keep, s_data}),
        .pop(m_valid[i] && m_ready[i]), .out({m_last[i], m_keep[i], m_data[i]}), .number_i(number));
`endif
  end
endmodule
