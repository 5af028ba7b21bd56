// SPDX-License-Identifier: Apache-2.0
//
// xor_bytes: combines the bytes of `data` with a key, and takes a beat every 1 + pause cycles.
module xor_bytes
  import lig_fields_pkg::*;
  import lig_stream_pkg::*;
  import lig_sensor_msgs_msg_image_pkg::*;
(
    input logic clk_i,
    input logic rst_i,

    input logic [63:0] parameter_key_i,
    input logic [63:0] parameter_pause_i,

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
  logic [3:0] wait_q;
  logic open;
  assign open = wait_q == '0;

  assign m_axis_tvalid = s_axis_tvalid && open;
  assign s_axis_tready = m_axis_tready && open;
  assign m_axis_tkeep = s_axis_tkeep;
  assign m_axis_tuser = s_axis_tuser;
  assign m_axis_tlast = s_axis_tlast;
  assign header_o = header_i;

  logic pixels;
  assign pixels = s_axis_tuser.kind == Values && s_axis_tuser.field == FIELD_DATA;

  always_comb begin
    m_axis_tdata = s_axis_tdata;
    for (int unsigned i = 0; i < 8; i++) begin
      if (pixels && s_axis_tkeep[i]) m_axis_tdata[8*i+:8] = s_axis_tdata[8*i+:8] ^ parameter_key_i[7:0];
    end
  end

  always_ff @(posedge clk_i) begin
    if (m_axis_tvalid && m_axis_tready) wait_q <= parameter_pause_i[3:0];
    else if (!open) wait_q <= wait_q - 1'b1;
    if (rst_i) wait_q <= '0;
  end
endmodule
