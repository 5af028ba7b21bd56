// SPDX-License-Identifier: Apache-2.0
//
// lig_arbiter, proven: by induction the stream's rules at the output, that a frame comes from one input
// (m_tid is constant within it), and that an input that waits sees INPUTS - 1 frames begin before its own.
// To a bound (ORDER): each input's beats come out once, in order, whatever the others do.
module lig_arbiter_formal (
    input logic clk_i, rst_i, m_ready,
    input logic [2:0] s_valid, s_keep, s_last, input logic [2:0][7:0] s_data,
    input logic [3:0] number  // of the beat that ORDER follows
);
  localparam int unsigned N = 3;
  logic [2:0] s_ready;
  logic m_valid, m_keep, m_last;
  logic [7:0] m_data;
  logic [1:0] m_id;

  lig_axis_if #(.DATA_WIDTH(8)) s_axis[N] (), m_axis ();
  for (genvar i = 0; i < N; i++) begin : g_flat
    assign {s_axis[i].tvalid, s_axis[i].tdata, s_axis[i].tkeep, s_axis[i].tlast} = {
        s_valid[i], s_data[i], s_keep[i], s_last[i]};
    assign s_ready[i] = s_axis[i].tready;
  end
  assign {m_valid, m_data, m_keep, m_last} = {m_axis.tvalid, m_axis.tdata, m_axis.tkeep, m_axis.tlast};
  assign m_axis.tready = m_ready;
  lig_arbiter #(.DATA_WIDTH(8), .INPUTS(N)) dut (.clk_i, .rst_i, .s_axis, .m_axis, .m_axis_tid(m_id));

  lig_reset_first reset_first (.clk_i, .rst_i);

  lig_axis_rules #(.DATA_WIDTH(8), .WHOLE(0)) rules_m (
      .clk_i, .rst_i, .tvalid(m_valid), .tready(m_ready), .tdata(m_data), .tkeep(m_keep), .tlast(m_last));

  // At most one input is served in a cycle.
  logic [2:0] taken;
  assign taken = s_valid & s_ready;
  always_comb assert ((taken & (taken - 1'b1)) == '0);

  // Within a frame, input side: the one that began it (begun_q) goes on; which_q says who that is.
  logic [2:0] which_q;
  logic begun_q;
  initial begun_q = 1'b0;
  always_ff @(posedge clk_i) begin
    if (taken != '0) begin
      begun_q <= (taken & s_last) == '0;
      which_q <= taken;
    end
    if (rst_i) begun_q <= 1'b0;
  end
  always_comb begin
    if (begun_q && taken != '0 && !rst_i) assert (taken == which_q);
    assert (begun_q == dut.held_q);
    if (begun_q) assert (which_q == dut.turn_q);
  end

  for (genvar i = 0; i < N; i++) begin : g_input
    lig_axis_rules #(.DATA_WIDTH(8), .WHOLE(0), .ASSUME(1)) rules_s (
        .clk_i, .rst_i, .tvalid(s_valid[i]), .tready(s_ready[i]), .tdata(s_data[i]), .tkeep(s_keep[i]),
        .tlast(s_last[i]));
`ifdef ORDER
    lig_order #(.W(10)) order (
        .clk_i, .rst_i, .push(taken[i]), .in({s_last[i], s_keep[i], s_data[i]}),
        .pop(m_valid && m_ready && m_id == 2'(i)), .out({m_last, m_keep, m_data}), .number_i(number));

    // Frames of others that begin while this input waits for its frame to begin.
    logic [2:0] passed_q;
    initial passed_q = '0;
    always_ff @(posedge clk_i) begin
      if (!s_valid[i] || taken[i] || (begun_q && which_q[i])) passed_q <= '0;
      else if (taken != '0 && !begun_q) passed_q <= passed_q + 1'b1;
      if (rst_i) passed_q <= '0;
    end
    always_comb assert (passed_q <= 3'(N - 1));
`endif
  end
endmodule
