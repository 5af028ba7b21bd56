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

    lig_fields_if.receiver s_axis_image,
    lig_fields_if.transmitter m_axis_passed,
    lig_fields_if.receiver s_axis_tally_request,
    lig_fields_if.transmitter m_axis_tally_response
);
  lig_fields_pass pass (.s_axis(s_axis_image), .data_i(s_axis_image.tdata), .m_axis(m_axis_passed));

  logic [63:0] images_q, with_q;
  header_t header_q;
  logic [1:0] state_q;  // request, count, end

  assign s_axis_tally_request.tready = state_q == 2'd0;
  assign m_axis_tally_response.tvalid = state_q != 2'd0;
  assign m_axis_tally_response.tdata = images_q + with_q;
  assign m_axis_tally_response.tkeep = '1;
  assign m_axis_tally_response.tuser = '{kind: state_q == 2'd2 ? Done : Values, field: FIELD_SUM};
  assign m_axis_tally_response.tlast = state_q == 2'd2;
  always_comb begin
    m_axis_tally_response.header = header_q;
    m_axis_tally_response.header.length = lig_example_interfaces_srv_add_two_ints__response_pkg::Length;
  end

  always_ff @(posedge clk_i) begin
    if (s_axis_image.tvalid && s_axis_image.tready && s_axis_image.tlast) images_q <= images_q + 1'b1;
    if (s_axis_tally_request.tvalid && s_axis_tally_request.tready) begin
      header_q <= s_axis_tally_request.header;
      if (s_axis_tally_request.tuser == '{kind: Values, field: FIELD_A}) with_q <= s_axis_tally_request.tdata;
      if (s_axis_tally_request.tlast) state_q <= 2'd1;
    end
    if (m_axis_tally_response.tvalid && m_axis_tally_response.tready)
      state_q <= state_q == 2'd1 ? 2'd2 : 2'd0;
    if (rst_i) begin
      images_q <= '0;
      state_q <= '0;
    end
  end

  logic unused;
  assign unused = &{1'b0, s_axis_tally_request.tkeep};
endmodule
