// SPDX-License-Identifier: Apache-2.0
//
// swapped: adds. Behind a request it waits some cycles for another one, and answers that one first.
module swapped
  import lig_fields_pkg::*;
  import lig_stream_pkg::*;
  import lig_example_interfaces_srv_add_two_ints__request_pkg::FIELD_A;
  import lig_example_interfaces_srv_add_two_ints__response_pkg::FIELD_SUM;
(
    input logic clk_i,
    input logic rst_i,

    input logic [63:0] parameter_fault_i,

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
  localparam logic [7:0] Patience = 8'd200;
  localparam logic [63:0] Silent = 64'd1, Stranger = 64'd2, Refuses = 64'd3, Short = 64'd4;

  logic [1:0] held_q;
  logic [1:0][63:0] sum_q;
  header_t [1:0] header_q;
  logic [7:0] wait_q;
  logic telling_q, last_q;
  logic place;
  assign place = held_q == 2'd2;

  assign s_axis_tready = !telling_q;
  assign m_axis_tvalid = telling_q && parameter_fault_i != Silent;
  assign m_axis_tdata = parameter_fault_i == Refuses ? 64'd77 : sum_q[place];
  assign m_axis_tkeep = '1;
  assign m_axis_tlast = last_q || parameter_fault_i == Refuses;
  always_comb begin
    m_axis_tuser = '{kind: last_q ? Done : Values, field: FIELD_SUM};
    if (parameter_fault_i == Refuses) m_axis_tuser.kind = Broken;
    header_o = header_q[place];
    header_o.length = lig_example_interfaces_srv_add_two_ints__response_pkg::Length;
    if (parameter_fault_i == Short) header_o.length = header_o.length - 32'd4;
    if (parameter_fault_i == Stranger) header_o.sequence_number = ~header_q[place].sequence_number;
  end

  always_ff @(posedge clk_i) begin
    if (s_axis_tvalid && s_axis_tready) begin
      header_q[held_q[0]] <= header_i;
      if (s_axis_tuser.kind == Values)
        sum_q[held_q[0]] <= s_axis_tdata + (s_axis_tuser.field == FIELD_A ? '0 : sum_q[held_q[0]]);
      if (s_axis_tlast) held_q <= held_q + 1'b1;
      wait_q <= '0;
    end else if (held_q == 2'd1 && !telling_q) begin
      wait_q <= wait_q + 1'b1;
    end
    if (!telling_q && (held_q == 2'd2 || wait_q == Patience)) begin
      telling_q <= 1'b1;
      wait_q <= '0;
    end
    if (m_axis_tvalid && m_axis_tready) begin
      last_q <= !m_axis_tlast;
      if (m_axis_tlast) begin
        held_q <= held_q - 1'b1;
        telling_q <= held_q == 2'd2;
      end
    end
    if (rst_i) begin
      held_q <= '0;
      wait_q <= '0;
      telling_q <= 1'b0;
      last_q <= 1'b0;
    end
  end

  logic unused;
  assign unused = &{1'b0, s_axis_tkeep};
endmodule
