// SPDX-License-Identifier: Apache-2.0
//
// adder: answers each request with the sum of its two numbers and a register. The response's header is the
// request's, so that it finds who asked; only its length, which is always the same, is its own.
module adder
  import lig_fields_pkg::*;
  import lig_stream_pkg::*;
  import lig_example_interfaces_srv_add_two_ints__request_pkg::FIELD_A;
  import lig_example_interfaces_srv_add_two_ints__request_pkg::FIELD_B;
  import lig_example_interfaces_srv_add_two_ints__response_pkg::FIELD_SUM;
(
    input logic clk_i,
    input logic rst_i,

    input logic [63:0] parameter_offset_i,

    lig_fields_if.receiver s_axis,
    lig_fields_if.transmitter m_axis
);
  typedef enum logic [1:0] {Take, Sum, End, Refuse} state_e;
  state_e state_q;
  logic [63:0] sum_q;
  header_t header_q;

  assign s_axis.tready = state_q == Take;
  assign m_axis.tvalid = state_q != Take;
  assign m_axis.tdata = sum_q;  // of a request that is broken: why
  assign m_axis.tkeep = '1;
  assign m_axis.tlast = state_q != Sum;

  always_comb begin
    m_axis.tuser = '{kind: Values, field: FIELD_SUM};
    if (state_q == End) m_axis.tuser.kind = Done;
    if (state_q == Refuse) m_axis.tuser.kind = Broken;
    m_axis.header = header_q;
    m_axis.header.length = lig_example_interfaces_srv_add_two_ints__response_pkg::Length;
  end

  always_ff @(posedge clk_i) begin
    if (s_axis.tvalid && s_axis.tready) begin
      header_q <= s_axis.header;
      unique case (s_axis.tuser.kind)
        Done: state_q <= Sum;
        Broken: begin
          state_q <= Refuse;
          sum_q <= s_axis.tdata;
        end
        default: begin
          if (s_axis.tuser.field == FIELD_A) sum_q <= s_axis.tdata + parameter_offset_i;
          if (s_axis.tuser.field == FIELD_B) sum_q <= sum_q + s_axis.tdata;
        end
      endcase
    end
    if (m_axis.tvalid && m_axis.tready) state_q <= state_q == Sum ? End : Take;
    if (rst_i) state_q <= Take;
  end

  logic unused;
  assign unused = &{1'b0, s_axis.tkeep, s_axis.tlast};
endmodule
