// SPDX-License-Identifier: Apache-2.0
//
// lig_unpack and lig_pack back to back: what enters as a frame leaves as a frame. The layout program is
// in a memory, so that one model reads every type. With direct_i the field stream comes from outside.
// verilator lint_off UNUSEDSIGNAL
// The upper bits of a program's word are 0.
module lig_messages_tb
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

    // The field stream between the two, and whether it stalls.
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
  logic [61:0] program_q[4096];
  always_ff @(posedge clk_i) if (write_i) program_q[write_address_i] <= write_word_i[61:0];

  logic valid, ready, last, pack_valid, pack_ready, offered_q, passes;
  logic [63:0] data;
  logic [7:0] keep;
  token_t user;
  header_t header;
  logic [11:0] unpack_address, pack_address;
  problem_e problem;

  lig_unpack unpack (
      .clk_i, .rst_i, .s_axis_tvalid, .s_axis_tready, .s_axis_tdata, .s_axis_tkeep, .s_axis_tlast,
      .m_axis_tvalid(valid), .m_axis_tready(ready), .m_axis_tdata(data), .m_axis_tkeep(keep),
      .m_axis_tuser(user), .m_axis_tlast(last), .header_o(header),
      .start_i('0), .address_o(unpack_address), .word_i(instruction_t'(program_q[unpack_address])));

  // What was offered stays offered.
  assign passes = offered_q || !hold_i;
  always_ff @(posedge clk_i) offered_q <= !rst_i && pack_valid && !pack_ready;

  assign pack_valid = direct_i ? direct_valid_i : valid && passes;
  assign ready = !direct_i && pack_ready && passes;
  assign field_taken_o = pack_valid && pack_ready;
  assign field_data_o = direct_i ? direct_data_i : data;
  assign field_keep_o = direct_i ? direct_keep_i : keep;
  assign field_user_o = direct_i ? direct_user_i : user;
  assign field_last_o = direct_i ? direct_last_i : last;
  assign problem_o = problem;

  lig_pack pack (
      .clk_i, .rst_i, .s_axis_tvalid(pack_valid), .s_axis_tready(pack_ready),
      .s_axis_tdata(field_data_o), .s_axis_tkeep(field_keep_o), .s_axis_tuser(token_t'(field_user_o)),
      .s_axis_tlast(field_last_o), .header_i(direct_i ? header_t'(direct_header_i) : header),
      .m_axis_tvalid, .m_axis_tready, .m_axis_tdata, .m_axis_tkeep, .m_axis_tlast,
      .problem_o(problem),
      .start_i('0), .address_o(pack_address), .word_i(instruction_t'(program_q[pack_address])));
endmodule
