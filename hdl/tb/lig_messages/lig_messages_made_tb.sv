// SPDX-License-Identifier: Apache-2.0
//
// The generated unpack and pack modules of some types, back to back, with the ports of lig_messages_tb: a frame
// goes through those of the type whose number was written last. What a type's layout is, is theirs here.
// verilator lint_off UNUSEDSIGNAL
// The field stream never comes from outside, and a type's number has few bits.
`define LIG_CHAIN(NUMBER, NAME) \
  NAME``_unpack unpack_``NUMBER ( \
      .clk_i, .rst_i, .s_axis_tvalid(s_axis_tvalid && type_q == NUMBER), .s_axis_tready(ready_in[NUMBER]), \
      .s_axis_tdata, .s_axis_tkeep, .s_axis_tlast, \
      .m_axis_tvalid(valid[NUMBER]), .m_axis_tready(ready[NUMBER] && passes), .m_axis_tdata(data[NUMBER]), \
      .m_axis_tkeep(keep[NUMBER]), .m_axis_tuser(user[NUMBER]), .m_axis_tlast(last[NUMBER]), \
      .header_o(header[NUMBER])); \
  NAME``_pack pack_``NUMBER ( \
      .clk_i, .rst_i, .s_axis_tvalid(valid[NUMBER] && passes), .s_axis_tready(ready[NUMBER]), \
      .s_axis_tdata(data[NUMBER]), .s_axis_tkeep(keep[NUMBER]), .s_axis_tuser(user[NUMBER]), \
      .s_axis_tlast(last[NUMBER]), .header_i(header[NUMBER]), \
      .m_axis_tvalid(valid_out[NUMBER]), .m_axis_tready(m_axis_tready), .m_axis_tdata(data_out[NUMBER]), \
      .m_axis_tkeep(keep_out[NUMBER]), .m_axis_tlast(last_out[NUMBER]), .problem_o(problem[NUMBER]));

module lig_messages_made_tb
  import lig_fields_pkg::*;
  import lig_stream_pkg::*;
(
    input logic clk_i,
    input logic rst_i,

    input logic        write_i,
    input logic [11:0] write_address_i,
    input logic [63:0] write_word_i,

    input  logic        s_axis_tvalid,
    output logic        s_axis_tready,
    input  logic [63:0] s_axis_tdata,
    input  logic [7:0]  s_axis_tkeep,
    input  logic        s_axis_tlast,

    input  logic         hold_i,
    input  logic         direct_i,
    input  logic [127:0] direct_header_i,
    input  logic         direct_valid_i,
    input  logic [63:0]  direct_data_i,
    input  logic [7:0]   direct_keep_i,
    input  logic [13:0]  direct_user_i,
    input  logic         direct_last_i,
    output logic         field_taken_o,
    output logic [63:0]  field_data_o,
    output logic [7:0]   field_keep_o,
    output logic [13:0]  field_user_o,
    output logic         field_last_o,

    output logic        m_axis_tvalid,
    input  logic        m_axis_tready,
    output logic [63:0] m_axis_tdata,
    output logic [7:0]  m_axis_tkeep,
    output logic        m_axis_tlast,
    output logic [3:0]  problem_o
);
  localparam int unsigned Types = 8;
  logic [2:0] type_q;
  always_ff @(posedge clk_i) if (write_i) type_q <= write_word_i[2:0];

  logic [Types-1:0] ready_in, valid, ready, last, valid_out, last_out;
  logic [Types-1:0][63:0] data, data_out;
  logic [Types-1:0][7:0] keep, keep_out;
  token_t user[Types];
  header_t header[Types];
  problem_e problem[Types];

  // What was offered stays offered.
  logic passes, offered_q;
  assign passes = offered_q || !hold_i;
  always_ff @(posedge clk_i) offered_q <= !rst_i && valid[type_q] && passes && !ready[type_q];

  `LIG_CHAIN(0, lig_every_feature_msgs_msg_nested)
  `LIG_CHAIN(1, lig_sensor_msgs_msg_image)
  `LIG_CHAIN(2, lig_std_msgs_msg_empty)
  `LIG_CHAIN(3, lig_example_interfaces_msg_w_string)
  `LIG_CHAIN(4, lig_nav_msgs_msg_odometry)
  `LIG_CHAIN(5, lig_diagnostic_msgs_msg_diagnostic_array)
  `LIG_CHAIN(6, lig_sensor_msgs_msg_point_cloud2)
  `LIG_CHAIN(7, lig_std_msgs_msg_bool)

  assign s_axis_tready = ready_in[type_q];
  assign field_taken_o = valid[type_q] && passes && ready[type_q];
  assign field_data_o = data[type_q];
  assign field_keep_o = keep[type_q];
  assign field_user_o = user[type_q];
  assign field_last_o = last[type_q];
  assign m_axis_tvalid = valid_out[type_q];
  assign m_axis_tdata = data_out[type_q];
  assign m_axis_tkeep = keep_out[type_q];
  assign m_axis_tlast = last_out[type_q];
  assign problem_o = problem[type_q];
endmodule
