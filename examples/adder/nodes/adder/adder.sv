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

    input  logic        s_axis_tvalid,
    output logic        s_axis_tready,
    input  logic [63:0] s_axis_tdata,
    input  logic [7:0]  s_axis_tkeep,
    input  token_t      s_axis_tuser,
    input  logic        s_axis_tlast,
    input  header_t     header_i,

    output logic        m_axis_tvalid,
    input  logic        m_axis_tready,
    output logic [63:0] m_axis_tdata,
    output logic [7:0]  m_axis_tkeep,
    output token_t      m_axis_tuser,
    output logic        m_axis_tlast,
    output header_t     header_o
);
  typedef enum logic [1:0] {Take, Sum, End, Refuse} state_e;
  state_e state_q;
  logic [63:0] sum_q;
  header_t header_q;

  assign s_axis_tready = state_q == Take;
  assign m_axis_tvalid = state_q != Take;
  assign m_axis_tdata = sum_q;  // of a request that is broken: why
  assign m_axis_tkeep = '1;
  assign m_axis_tlast = state_q != Sum;

  always_comb begin
    m_axis_tuser = '{kind: Values, field: FIELD_SUM};
    if (state_q == End) m_axis_tuser.kind = Done;
    if (state_q == Refuse) m_axis_tuser.kind = Broken;
    header_o = header_q;
    header_o.length = lig_example_interfaces_srv_add_two_ints__response_pkg::Length;
  end

  always_ff @(posedge clk_i) begin
    if (s_axis_tvalid && s_axis_tready) begin
      header_q <= header_i;
      unique case (s_axis_tuser.kind)
        Done: state_q <= Sum;
        Broken: begin
          state_q <= Refuse;
          sum_q <= s_axis_tdata;
        end
        default: begin
          if (s_axis_tuser.field == FIELD_A) sum_q <= s_axis_tdata + parameter_offset_i;
          if (s_axis_tuser.field == FIELD_B) sum_q <= sum_q + s_axis_tdata;
        end
      endcase
    end
    if (m_axis_tvalid && m_axis_tready) state_q <= state_q == Sum ? End : Take;
    if (rst_i) state_q <= Take;
  end

  logic unused;
  assign unused = &{1'b0, s_axis_tkeep, s_axis_tlast};
endmodule
