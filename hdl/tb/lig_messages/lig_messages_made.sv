// SPDX-License-Identifier: Apache-2.0
//
// The generated unpack and pack modules of some types: a frame goes through those of the type whose number was
// written last. What a type's layout is, is theirs here.
// verilator lint_off UNUSEDSIGNAL
// A type's number has few bits.
`define LIG_CHAIN(NUMBER, NAME) \
  NAME``_unpack unpack_``NUMBER (.clk_i, .rst_i, .s_axis(frames[NUMBER]), .m_axis(fields[NUMBER])); \
  NAME``_pack pack_``NUMBER ( \
      .clk_i, .rst_i, .s_axis(given[NUMBER]), .m_axis(made[NUMBER]), .problem_o(problem[NUMBER]));

module lig_messages_made
  import lig_fields_pkg::*;
  import lig_stream_pkg::header_t;
(
    input logic clk_i, rst_i,
    input logic write_i, input logic [11:0] write_address_i, input logic [63:0] write_word_i,
    lig_axis_if.receiver s_axis, lig_axis_if.transmitter m_axis,
    lig_fields_if.transmitter unpacked, lig_fields_if.receiver to_pack, output problem_e problem_o
);
  localparam int unsigned Types = 8;
  logic [2:0] type_q;
  always_ff @(posedge clk_i) if (write_i) type_q <= write_word_i[2:0];

  lig_axis_if frames[Types] (), made[Types] ();
  lig_fields_if fields[Types] (), given[Types] ();
  problem_e problem[Types];

  `LIG_CHAIN(0, lig_every_feature_msgs_msg_nested)
  `LIG_CHAIN(1, lig_sensor_msgs_msg_image)
  `LIG_CHAIN(2, lig_std_msgs_msg_empty)
  `LIG_CHAIN(3, lig_example_interfaces_msg_w_string)
  `LIG_CHAIN(4, lig_nav_msgs_msg_odometry)
  `LIG_CHAIN(5, lig_diagnostic_msgs_msg_diagnostic_array)
  `LIG_CHAIN(6, lig_sensor_msgs_msg_point_cloud2)
  `LIG_CHAIN(7, lig_std_msgs_msg_bool)

  // All of a stream but tready in one word, so that a type's is chosen.
  logic [Types-1:0] ready_in, ready;
  logic [Types-1:0][73:0] frame;
  logic [Types-1:0][87+$bits(header_t):0] field;
  for (genvar i = 0; i < Types; i++) begin : g_type
    assign frames[i].tvalid = s_axis.tvalid && type_q == 3'(i);
    assign {frames[i].tdata, frames[i].tkeep, frames[i].tlast} = {s_axis.tdata, s_axis.tkeep, s_axis.tlast};
    assign fields[i].tready = unpacked.tready && type_q == 3'(i);
    assign field[i] = {
        fields[i].tvalid, fields[i].tdata, fields[i].tkeep, fields[i].tuser, fields[i].tlast, fields[i].header};
    assign given[i].tvalid = to_pack.tvalid && type_q == 3'(i);
    assign {given[i].tdata, given[i].tkeep, given[i].tuser, given[i].tlast, given[i].header} = {
        to_pack.tdata, to_pack.tkeep, to_pack.tuser, to_pack.tlast, to_pack.header};
    assign made[i].tready = m_axis.tready;
    assign frame[i] = {made[i].tvalid, made[i].tdata, made[i].tkeep, made[i].tlast};
    assign ready_in[i] = frames[i].tready;
    assign ready[i] = given[i].tready;
  end

  assign s_axis.tready = ready_in[type_q];
  assign to_pack.tready = ready[type_q];
  assign {unpacked.tvalid, unpacked.tdata, unpacked.tkeep, unpacked.tuser, unpacked.tlast, unpacked.header} =
      field[type_q];
  assign {m_axis.tvalid, m_axis.tdata, m_axis.tkeep, m_axis.tlast} = frame[type_q];
  assign problem_o = problem[type_q];
endmodule
