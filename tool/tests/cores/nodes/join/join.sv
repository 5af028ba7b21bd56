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

  assign m_axis.tvalid = s_axis_left.tvalid && s_axis_right.tvalid && !mute;
  assign s_axis_left.tready = m_axis.tready && s_axis_right.tvalid && !mute;
  assign s_axis_right.tready = m_axis.tready && s_axis_left.tvalid && !mute;
  assign m_axis.tkeep = s_axis_left.tkeep;
  assign m_axis.tuser = s_axis_left.tuser;
  assign m_axis.tlast = s_axis_left.tlast;
  assign m_axis.header = s_axis_left.header;

  logic pixels;
  assign pixels = s_axis_left.tuser.kind == Values && s_axis_left.tuser.field == FIELD_DATA;

  always_comb begin
    m_axis.tdata = s_axis_left.tdata;
    for (int unsigned i = 0; i < 8; i++) begin
      if (pixels && s_axis_right.tdata[8*i+:8] > s_axis_left.tdata[8*i+:8]) begin
        m_axis.tdata[8*i+:8] = s_axis_right.tdata[8*i+:8];
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (m_axis.tvalid && m_axis.tready && m_axis.tlast) answered_q <= answered_q + 1'b1;
    if (rst_i) answered_q <= '0;
  end
endmodule
