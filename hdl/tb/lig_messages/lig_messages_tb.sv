// SPDX-License-Identifier: Apache-2.0
//
// An unpack and a pack back to back: what enters as a frame leaves as a frame. LIG_PARTS is the module that has them:
// lig_messages_program or lig_messages_made. With direct_i the field stream comes from outside. LIG_BITS is the width
// of all streams.
module lig_messages_tb
  import lig_fields_pkg::token_t;
  import lig_stream_pkg::header_t;
(
    input logic clk_i, rst_i,
    input logic write_i, input logic [11:0] write_address_i, input logic [63:0] write_word_i,

    input logic s_axis_tvalid, s_axis_tlast, input logic [`LIG_BITS-1:0] s_axis_tdata,
    input logic [`LIG_BITS/8-1:0] s_axis_tkeep,
    output logic s_axis_tready,

    // The field stream between the two, and whether it stalls.
    input logic hold_i, direct_i, direct_valid_i, direct_last_i,
    input logic [127:0] direct_header_i, input logic [`LIG_BITS-1:0] direct_data_i,
    input logic [`LIG_BITS/8-1:0] direct_keep_i,
    input logic [13:0] direct_user_i,
    output logic field_taken_o, field_last_o, output logic [`LIG_BITS-1:0] field_data_o,
    output logic [`LIG_BITS/8-1:0] field_keep_o,
    output logic [13:0] field_user_o,

    output logic m_axis_tvalid, m_axis_tlast, output logic [`LIG_BITS-1:0] m_axis_tdata,
    output logic [`LIG_BITS/8-1:0] m_axis_tkeep,
    input logic m_axis_tready,
    output logic [3:0] problem_o
);
  logic passes, offered_q;
  lig_axis_if #(.DATA_WIDTH(`LIG_BITS)) s_axis (), m_axis ();
  lig_fields_if #(.DATA_WIDTH(`LIG_BITS)) unpacked (), to_pack ();

  `LIG_PARTS parts (
      .clk_i, .rst_i, .write_i, .write_address_i, .write_word_i, .s_axis, .unpacked, .to_pack, .m_axis, .problem_o);

  assign {s_axis.tvalid, s_axis.tdata, s_axis.tkeep, s_axis.tlast} = {
      s_axis_tvalid, s_axis_tdata, s_axis_tkeep, s_axis_tlast};
  assign s_axis_tready = s_axis.tready;

  // What was offered stays offered.
  assign passes = offered_q || !hold_i;
  always_ff @(posedge clk_i) offered_q <= !rst_i && to_pack.tvalid && !to_pack.tready;

  assign to_pack.tvalid = direct_i ? direct_valid_i : unpacked.tvalid && passes;
  assign to_pack.tdata = direct_i ? direct_data_i : unpacked.tdata;
  assign to_pack.tkeep = direct_i ? direct_keep_i : unpacked.tkeep;
  assign to_pack.tuser = direct_i ? token_t'(direct_user_i) : unpacked.tuser;
  assign to_pack.tlast = direct_i ? direct_last_i : unpacked.tlast;
  assign to_pack.header = direct_i ? header_t'(direct_header_i) : unpacked.header;
  assign unpacked.tready = !direct_i && to_pack.tready && passes;

  assign field_taken_o = to_pack.tvalid && to_pack.tready;
  assign field_data_o = to_pack.tdata;
  assign field_keep_o = to_pack.tkeep;
  assign field_user_o = to_pack.tuser;
  assign field_last_o = to_pack.tlast;

  assign {m_axis_tvalid, m_axis_tdata, m_axis_tkeep, m_axis_tlast} = {
      m_axis.tvalid, m_axis.tdata, m_axis.tkeep, m_axis.tlast};
  assign m_axis.tready = m_axis_tready;
endmodule
