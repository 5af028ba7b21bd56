// SPDX-License-Identifier: Apache-2.0
//
// image_checksum: the FPGA form of image/checksum: the image as it came, and the checksum of its data. It does nothing
// else, and holds nothing up: what a measurement shows with it is messages, not work.
//
// The data in words of 8 bytes, the last filled up with 0: each is added to the sum turned left by one bit.
//
//   initiation interval  a beat in, a beat out: 8 bytes, or 4 PIXELS where that is more
//   latency              none; the checksum 1 cycle behind the image
//   a frame              as many cycles as it has beats, and 2
module image_checksum
  import lig_fields_pkg::*;
  import lig_stream_pkg::*;
#(
    parameter int unsigned PIXELS = 1,  // 4, 8, 16 make the image's streams wider: 128, 256, 512 bits
    localparam int unsigned Words = PIXELS <= 2 ? 1 : PIXELS / 2  // of a beat
) (
    input logic clk_i, rst_i,  // reset: synchronous, high

    lig_fields_if.receiver s_axis,
    lig_fields_if.transmitter m_axis_image_copy,
    lig_fields_if.transmitter m_axis_checksum
);
  typedef enum logic [1:0] {Pass, Tell, End} state_e;
  state_e state_q;
  logic [63:0] sum_q, sum;
  logic broken_q, taken, pixels;

  assign taken = s_axis.tvalid && s_axis.tready;
  assign pixels = s_axis.tuser.kind == Values && s_axis.tuser.field == lig_sensor_msgs_msg_image_pkg::FIELD_DATA;

  assign m_axis_image_copy.tvalid = s_axis.tvalid && state_q == Pass;
  assign s_axis.tready = m_axis_image_copy.tready && state_q == Pass;
  assign m_axis_image_copy.tdata = s_axis.tdata;
  assign m_axis_image_copy.tkeep = s_axis.tkeep;
  assign m_axis_image_copy.tuser = s_axis.tuser;
  assign m_axis_image_copy.tlast = s_axis.tlast;
  assign m_axis_image_copy.header = s_axis.header;

  assign m_axis_checksum.tvalid = state_q != Pass;
  assign m_axis_checksum.tlast = state_q == End;
  always_comb begin
    m_axis_checksum.header = s_axis.header;
    m_axis_checksum.header.length = lig_std_msgs_msg_u_int64_pkg::Length;
    m_axis_checksum.header.pad = '0;
    m_axis_checksum.tdata = sum_q;
    m_axis_checksum.tkeep = 8'hFF;
    m_axis_checksum.tuser = '{kind: Values, field: lig_std_msgs_msg_u_int64_pkg::FIELD_DATA};
    if (state_q == End) begin
      m_axis_checksum.tdata = broken_q ? 64'd1 : '0;
      m_axis_checksum.tkeep = 8'h01;
      m_axis_checksum.tuser = '{kind: broken_q ? Broken : Done, field: '0};
    end
  end

  // The last beat may have fewer words.
  always_comb begin
    sum = sum_q;
    for (int unsigned i = 0; i < Words; i++) begin
      if (s_axis.tkeep[8*i]) sum = {sum[62:0], sum[63]} + s_axis.tdata[64*i+:64];
    end
  end

  always_ff @(posedge clk_i) begin
    if (taken && pixels) sum_q <= sum;
    unique case (state_q)
      Pass: begin
        if (taken && s_axis.tlast) begin
          broken_q <= s_axis.tuser.kind == Broken;
          state_q <= s_axis.tuser.kind == Broken ? End : Tell;
        end
      end
      Tell: if (m_axis_checksum.tready) state_q <= End;
      End: begin
        if (m_axis_checksum.tready) begin
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
