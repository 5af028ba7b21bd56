// SPDX-License-Identifier: Apache-2.0
//
// join_two: takes a beat of both images at a time, and hands on the greater of each pair of bytes. All
// other fields are those of the left one.
module join_two
  import lig_fields_pkg::*;
  import lig_stream_pkg::*;
  import lig_sensor_msgs_msg_image_pkg::*;
(
    input logic clk_i,
    input logic rst_i,

    input logic [63:0] parameter_answers_i,

    input  logic        s_axis_left_tvalid,
    output logic        s_axis_left_tready,
    input  logic [63:0] s_axis_left_tdata,
    input  logic [7:0]  s_axis_left_tkeep,
    input  token_t      s_axis_left_tuser,
    input  logic        s_axis_left_tlast,
    input  header_t     header_left_i,

    input  logic        s_axis_right_tvalid,
    output logic        s_axis_right_tready,
    input  logic [63:0] s_axis_right_tdata,
    input  logic [7:0]  s_axis_right_tkeep,
    input  token_t      s_axis_right_tuser,
    input  logic        s_axis_right_tlast,
    input  header_t     header_right_i,

    output logic        m_axis_tvalid,
    input  logic        m_axis_tready,
    output logic [63:0] m_axis_tdata,
    output logic [7:0]  m_axis_tkeep,
    output token_t      m_axis_tuser,
    output logic        m_axis_tlast,
    output header_t     header_o
);
  logic [9:0] answered_q;
  logic mute;
  assign mute = 64'(answered_q) >= parameter_answers_i;

  assign m_axis_tvalid = s_axis_left_tvalid && s_axis_right_tvalid && !mute;
  assign s_axis_left_tready = m_axis_tready && s_axis_right_tvalid && !mute;
  assign s_axis_right_tready = m_axis_tready && s_axis_left_tvalid && !mute;
  assign m_axis_tkeep = s_axis_left_tkeep;
  assign m_axis_tuser = s_axis_left_tuser;
  assign m_axis_tlast = s_axis_left_tlast;
  assign header_o = header_left_i;

  logic pixels;
  assign pixels = s_axis_left_tuser.kind == Values && s_axis_left_tuser.field == FIELD_DATA;

  always_comb begin
    m_axis_tdata = s_axis_left_tdata;
    for (int unsigned i = 0; i < 8; i++) begin
      if (pixels && s_axis_right_tdata[8*i+:8] > s_axis_left_tdata[8*i+:8]) begin
        m_axis_tdata[8*i+:8] = s_axis_right_tdata[8*i+:8];
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (m_axis_tvalid && m_axis_tready && m_axis_tlast) answered_q <= answered_q + 1'b1;
    if (rst_i) answered_q <= '0;
  end
endmodule
