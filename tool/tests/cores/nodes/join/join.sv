// SPDX-License-Identifier: Apache-2.0
//
// join_two: takes a beat of both images at a time, and hands on the greater of each pair of bytes. All
// other fields are those of the left one.
module join_two
  import lig_fields_pkg::*;
  import lig_sensor_msgs_msg_image_pkg::*;
(
    input logic clk_i,
    input logic rst_i,

    input logic [63:0] parameter_answers_i,

    lig_fields_if.receiver s_axis_left,
    lig_fields_if.receiver s_axis_right,
    lig_fields_if.transmitter m_axis
);
  logic [9:0] answered_q;
  logic mute;
  assign mute = 64'(answered_q) >= parameter_answers_i;

  // Of a set with a broken message nothing is handed on; both its messages are taken to their ends.
  typedef enum logic [1:0] {Pass, Drain, Say} state_e;
  state_e state_q;
  logic left_over_q, right_over_q, both, broken, passes;
  assign both = s_axis_left.tvalid && s_axis_right.tvalid && !mute;
  assign broken = s_axis_left.tuser.kind == Broken || s_axis_right.tuser.kind == Broken;
  assign passes = state_q == Pass && both && !broken;

  assign m_axis.tvalid = passes || state_q == Say;
  assign s_axis_left.tready = state_q == Drain ? !left_over_q : passes && m_axis.tready;
  assign s_axis_right.tready = state_q == Drain ? !right_over_q : passes && m_axis.tready;
  assign m_axis.tkeep = state_q == Say ? 8'h01 : s_axis_left.tkeep;
  assign m_axis.tuser = state_q == Say ? '{kind: Broken, field: '0} : s_axis_left.tuser;
  assign m_axis.tlast = state_q == Say || s_axis_left.tlast;
  assign m_axis.header = s_axis_left.header;

  logic pixels;
  assign pixels = s_axis_left.tuser.kind == Values && s_axis_left.tuser.field == FIELD_DATA;

  always_comb begin
    m_axis.tdata = state_q == Say ? 64'(Refused) : s_axis_left.tdata;
    for (int unsigned i = 0; i < 8; i++) begin
      if (passes && pixels && s_axis_right.tdata[8*i+:8] > s_axis_left.tdata[8*i+:8]) begin
        m_axis.tdata[8*i+:8] = s_axis_right.tdata[8*i+:8];
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (m_axis.tvalid && m_axis.tready && m_axis.tlast) answered_q <= answered_q + 1'b1;
    unique case (state_q)
      Pass: if (both && broken) state_q <= Drain;
      Drain: begin
        if (s_axis_left.tvalid && s_axis_left.tlast) left_over_q <= 1'b1;
        if (s_axis_right.tvalid && s_axis_right.tlast) right_over_q <= 1'b1;
        if (left_over_q && right_over_q) state_q <= Say;
      end
      default: if (m_axis.tready) state_q <= Pass;
    endcase
    if (rst_i || state_q == Pass) {left_over_q, right_over_q} <= '0;
    if (rst_i) begin
      answered_q <= '0;
      state_q <= Pass;
    end
  end
endmodule
