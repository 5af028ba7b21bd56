// SPDX-License-Identifier: Apache-2.0
//
// threshold: bytes of `data` become 255 or 0, all other fields pass. Eight bytes per cycle, no latency.
module threshold
  import lig_fields_pkg::*;
  import lig_stream_pkg::*;
  import lig_sensor_msgs_msg_image_pkg::*;
(
    input logic clk_i,
    input logic rst_i,

    input logic [63:0] parameter_threshold_i,

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
  assign m_axis_tvalid = s_axis_tvalid;
  assign s_axis_tready = m_axis_tready;
  assign m_axis_tkeep = s_axis_tkeep;
  assign m_axis_tuser = s_axis_tuser;
  assign m_axis_tlast = s_axis_tlast;
  assign header_o = header_i;

  logic pixels;
  assign pixels = s_axis_tuser.kind == Values && s_axis_tuser.field == FIELD_DATA;

  always_comb begin
    m_axis_tdata = s_axis_tdata;
    for (int unsigned i = 0; i < 8; i++) begin
      if (pixels) m_axis_tdata[8*i+:8] = {8{s_axis_tdata[8*i+:8] >= parameter_threshold_i[7:0]}};
    end
  end
endmodule
