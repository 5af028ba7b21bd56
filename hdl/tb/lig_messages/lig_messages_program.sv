// SPDX-License-Identifier: Apache-2.0
//
// lig_unpack and lig_pack, with the layout program in a memory: one model reads every type. Refusals leave as frames.
// verilator lint_off UNUSEDSIGNAL
// The upper bits of a program's word are 0.
module lig_messages_program
  import lig_fields_pkg::*;
(
    input logic clk_i, rst_i,
    input logic write_i, input logic [11:0] write_address_i, input logic [63:0] write_word_i,
    lig_axis_if.receiver s_axis, lig_axis_if.transmitter m_axis,
    lig_fields_if.transmitter unpacked, lig_fields_if.receiver to_pack, output problem_e problem_o
);
  logic [61:0] program_q[4096];
  always_ff @(posedge clk_i) if (write_i) program_q[write_address_i] <= write_word_i[61:0];

  logic [11:0] unpack_address, pack_address;
  lig_unpack #(.DATA_WIDTH(`LIG_BITS)) unpack (
      .clk_i, .rst_i, .s_axis, .m_axis(unpacked),
      .start_i('0), .address_o(unpack_address), .word_i(instruction_t'(program_q[unpack_address])));
  lig_pack #(.DATA_WIDTH(`LIG_BITS), .REFUSALS(1'b1)) pack (
      .clk_i, .rst_i, .s_axis(to_pack), .m_axis, .problem_o,
      .start_i('0), .address_o(pack_address), .word_i(instruction_t'(program_q[pack_address])));
endmodule
