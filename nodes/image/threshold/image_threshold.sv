// SPDX-License-Identifier: Apache-2.0
//
// image_threshold: the FPGA form of image/threshold. Every byte of the data by cv::threshold, all other fields as they
// come; an image that it cannot process ends with a Broken beat in place of its data.
//
//   initiation interval  a beat in, a beat out: 8 bytes, or 4 PIXELS where that is more
//   latency              none
//   a frame              as many cycles as it has beats, and about 15
module image_threshold
  import lig_fields_pkg::*;
  import lig_stream_pkg::*;
  import lig_image_pkg::*;
  import lig_sensor_msgs_msg_image_pkg::*;
#(
    parameter int unsigned PIXELS = 1,  // 4, 8, 16 make the stream wider: 128, 256, 512 bits
    localparam int unsigned Bits  = bits_of(PIXELS)
) (
    input logic clk_i, rst_i,  // reset: synchronous, high

    input logic [63:0] parameter_threshold_i,
    input logic [63:0] parameter_maximum_i,
    input logic [63:0] parameter_type_i,  // the place among the parameter's choices, which is OpenCV's number

    lig_fields_if.receiver s_axis,
    lig_fields_if.transmitter m_axis
);
  typedef enum logic [1:0] {Pass, Drain, Refuse} state_e;
  typedef enum logic [2:0] {Binary, BinaryInverted, Truncate, ToZero, ToZeroInverted} way_e;
  state_e state_q;

  logic pixels, ends, refused;
  refusal_e refusal;
  encoding_e encoding;
  logic [31:0] bytes;

  lig_image_watch watch (
      .clk_i, .taken_i(s_axis.tvalid && s_axis.tready), .data_i(s_axis.tdata[63:0]), .user_i(s_axis.tuser),
      .encoding_o(encoding), .bytes_o(bytes), .refusal_o(refusal));

  assign pixels = s_axis.tuser.kind == Values && s_axis.tuser.field == FIELD_DATA;
  assign ends = s_axis.tuser.kind == Done;
  // In place of the data, or of the end of an image without any.
  assign refused = s_axis.tvalid && (pixels || ends) && refusal != Fine;

  assign m_axis.tvalid = state_q == Pass ? s_axis.tvalid && !refused : state_q == Refuse;
  assign s_axis.tready = state_q == Pass ? m_axis.tready && !refused : state_q == Drain;
  assign m_axis.header = s_axis.header;

  function automatic logic [7:0] result(input logic [7:0] value, input logic [7:0] level, input logic [7:0] maximum,
                                        input way_e way);
    unique case (way)
      Binary: return value > level ? maximum : '0;
      BinaryInverted: return value > level ? '0 : maximum;
      Truncate: return value > level ? level : value;
      ToZero: return value > level ? value : '0;
      default: return value > level ? '0 : value;
    endcase
  endfunction

  always_comb begin
    m_axis.tdata = s_axis.tdata;
    m_axis.tkeep = s_axis.tkeep;
    m_axis.tuser = s_axis.tuser;
    m_axis.tlast = s_axis.tlast;
    for (int unsigned i = 0; i < Bits / 8; i++) begin
      if (pixels && s_axis.tkeep[i]) begin
        m_axis.tdata[8*i+:8] = result(s_axis.tdata[8*i+:8], parameter_threshold_i[7:0], parameter_maximum_i[7:0],
                                      way_e'(parameter_type_i[2:0]));
      end
    end
    if (state_q == Refuse) begin
      m_axis.tdata = Bits'(refusal);
      m_axis.tkeep = (Bits / 8)'(8'h01);
      m_axis.tuser = '{kind: Broken, field: '0};
      m_axis.tlast = 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Pass: if (refused) state_q <= Drain;
      Drain: if (s_axis.tvalid && s_axis.tlast) state_q <= Refuse;
      Refuse: if (m_axis.tready) state_q <= Pass;
      default: ;
    endcase
    if (rst_i) state_q <= Pass;
  end
endmodule
