// SPDX-License-Identifier: Apache-2.0
//
// image_checksum: the FPGA form of image/checksum: the image as it came, and the checksum of its data. It does nothing
// else, and holds nothing up: what a measurement shows with it is messages, not work.
//
// The data in words of 8 bytes, the last filled up with 0: each is added to the sum turned left by one bit.
//
//   initiation interval  8 bytes in, 8 bytes out
//   latency              none; the checksum 1 cycle behind the image
//   a frame              as many cycles as it has beats, and 2
module image_checksum
  import lig_fields_pkg::*;
  import lig_stream_pkg::*;
(
    input logic clk_i,
    input logic rst_i, // synchronous, high

    input  logic        s_axis_tvalid,
    output logic        s_axis_tready,
    input  logic [63:0] s_axis_tdata,
    input  logic [7:0]  s_axis_tkeep,
    input  token_t      s_axis_tuser,
    input  logic        s_axis_tlast,
    input  header_t     header_i,

    output logic        m_axis_image_copy_tvalid,
    input  logic        m_axis_image_copy_tready,
    output logic [63:0] m_axis_image_copy_tdata,
    output logic [7:0]  m_axis_image_copy_tkeep,
    output token_t      m_axis_image_copy_tuser,
    output logic        m_axis_image_copy_tlast,
    output header_t     header_image_copy_o,

    output logic        m_axis_checksum_tvalid,
    input  logic        m_axis_checksum_tready,
    output logic [63:0] m_axis_checksum_tdata,
    output logic [7:0]  m_axis_checksum_tkeep,
    output token_t      m_axis_checksum_tuser,
    output logic        m_axis_checksum_tlast,
    output header_t     header_checksum_o
);
  typedef enum logic [1:0] {Pass, Tell, End} state_e;
  state_e state_q;
  logic [63:0] sum_q;
  logic broken_q, taken, pixels;

  assign taken = s_axis_tvalid && s_axis_tready;
  assign pixels = s_axis_tuser.kind == Values && s_axis_tuser.field == lig_sensor_msgs_msg_image_pkg::FIELD_DATA;

  assign m_axis_image_copy_tvalid = s_axis_tvalid && state_q == Pass;
  assign s_axis_tready = m_axis_image_copy_tready && state_q == Pass;
  assign m_axis_image_copy_tdata = s_axis_tdata;
  assign m_axis_image_copy_tkeep = s_axis_tkeep;
  assign m_axis_image_copy_tuser = s_axis_tuser;
  assign m_axis_image_copy_tlast = s_axis_tlast;
  assign header_image_copy_o = header_i;

  assign m_axis_checksum_tvalid = state_q != Pass;
  assign m_axis_checksum_tlast = state_q == End;
  always_comb begin
    header_checksum_o = header_i;
    header_checksum_o.length = lig_std_msgs_msg_u_int64_pkg::Length;
    header_checksum_o.pad = '0;
    m_axis_checksum_tdata = sum_q;
    m_axis_checksum_tkeep = 8'hFF;
    m_axis_checksum_tuser = '{kind: Values, field: lig_std_msgs_msg_u_int64_pkg::FIELD_DATA};
    if (state_q == End) begin
      m_axis_checksum_tdata = broken_q ? 64'd1 : '0;
      m_axis_checksum_tkeep = 8'h01;
      m_axis_checksum_tuser = '{kind: broken_q ? Broken : Done, field: '0};
    end
  end

  always_ff @(posedge clk_i) begin
    if (taken && pixels) sum_q <= {sum_q[62:0], sum_q[63]} + s_axis_tdata;
    unique case (state_q)
      Pass: begin
        if (taken && s_axis_tlast) begin
          broken_q <= s_axis_tuser.kind == Broken;
          state_q <= s_axis_tuser.kind == Broken ? End : Tell;
        end
      end
      Tell: if (m_axis_checksum_tready) state_q <= End;
      End: begin
        if (m_axis_checksum_tready) begin
          state_q <= Pass;
          sum_q <= '0;
        end
      end
      default: ;
    endcase
    if (rst_i) begin
      state_q <= Pass;
      sum_q <= '0;
    end
  end
endmodule
