// SPDX-License-Identifier: Apache-2.0
//
// tally: hands images on and counts them; a request is answered with the count and its `a`.
module tally
  import lig_fields_pkg::*;
  import lig_stream_pkg::*;
  import lig_example_interfaces_srv_add_two_ints__request_pkg::FIELD_A;
  import lig_example_interfaces_srv_add_two_ints__response_pkg::FIELD_SUM;
(
    input logic clk_i,
    input logic rst_i,

    input  logic        s_axis_image_tvalid,
    output logic        s_axis_image_tready,
    input  logic [63:0] s_axis_image_tdata,
    input  logic [7:0]  s_axis_image_tkeep,
    input  token_t      s_axis_image_tuser,
    input  logic        s_axis_image_tlast,
    input  header_t     header_image_i,

    output logic        m_axis_passed_tvalid,
    input  logic        m_axis_passed_tready,
    output logic [63:0] m_axis_passed_tdata,
    output logic [7:0]  m_axis_passed_tkeep,
    output token_t      m_axis_passed_tuser,
    output logic        m_axis_passed_tlast,
    output header_t     header_passed_o,

    input  logic        s_axis_tally_request_tvalid,
    output logic        s_axis_tally_request_tready,
    input  logic [63:0] s_axis_tally_request_tdata,
    input  logic [7:0]  s_axis_tally_request_tkeep,
    input  token_t      s_axis_tally_request_tuser,
    input  logic        s_axis_tally_request_tlast,
    input  header_t     header_tally_request_i,

    output logic        m_axis_tally_response_tvalid,
    input  logic        m_axis_tally_response_tready,
    output logic [63:0] m_axis_tally_response_tdata,
    output logic [7:0]  m_axis_tally_response_tkeep,
    output token_t      m_axis_tally_response_tuser,
    output logic        m_axis_tally_response_tlast,
    output header_t     header_tally_response_o
);
  assign m_axis_passed_tvalid = s_axis_image_tvalid;
  assign s_axis_image_tready = m_axis_passed_tready;
  assign m_axis_passed_tdata = s_axis_image_tdata;
  assign m_axis_passed_tkeep = s_axis_image_tkeep;
  assign m_axis_passed_tuser = s_axis_image_tuser;
  assign m_axis_passed_tlast = s_axis_image_tlast;
  assign header_passed_o = header_image_i;

  logic [63:0] images_q, with_q;
  header_t header_q;
  logic [1:0] state_q;  // request, count, end

  assign s_axis_tally_request_tready = state_q == 2'd0;
  assign m_axis_tally_response_tvalid = state_q != 2'd0;
  assign m_axis_tally_response_tdata = images_q + with_q;
  assign m_axis_tally_response_tkeep = '1;
  assign m_axis_tally_response_tuser = '{kind: state_q == 2'd2 ? Done : Values, field: FIELD_SUM};
  assign m_axis_tally_response_tlast = state_q == 2'd2;
  always_comb begin
    header_tally_response_o = header_q;
    header_tally_response_o.length = lig_example_interfaces_srv_add_two_ints__response_pkg::Length;
  end

  always_ff @(posedge clk_i) begin
    if (s_axis_image_tvalid && s_axis_image_tready && s_axis_image_tlast) images_q <= images_q + 1'b1;
    if (s_axis_tally_request_tvalid && s_axis_tally_request_tready) begin
      header_q <= header_tally_request_i;
      if (s_axis_tally_request_tuser == '{kind: Values, field: FIELD_A}) with_q <= s_axis_tally_request_tdata;
      if (s_axis_tally_request_tlast) state_q <= 2'd1;
    end
    if (m_axis_tally_response_tvalid && m_axis_tally_response_tready)
      state_q <= state_q == 2'd1 ? 2'd2 : 2'd0;
    if (rst_i) begin
      images_q <= '0;
      state_q <= '0;
    end
  end

  logic unused;
  assign unused = &{1'b0, s_axis_tally_request_tkeep};
endmodule
