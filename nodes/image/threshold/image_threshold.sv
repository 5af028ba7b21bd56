// SPDX-License-Identifier: Apache-2.0
//
// image_threshold: the FPGA form of image/threshold. Every byte of the data by cv::threshold, all other fields as they
// come; an image that it cannot process ends with a Broken beat in place of its data.
//
//   initiation interval  8 bytes in, 8 bytes out
//   latency              none
//   a frame              as many cycles as it has beats: an eighth of its bytes and about 15
module image_threshold
  import lig_fields_pkg::*;
  import lig_stream_pkg::*;
  import lig_image_pkg::*;
  import lig_sensor_msgs_msg_image_pkg::*;
(
    input logic clk_i,
    input logic rst_i, // synchronous, high

    input logic [63:0] parameter_threshold_i,
    input logic [63:0] parameter_maximum_i,
    input logic [63:0] parameter_type_i,  // the place among the parameter's choices, which is OpenCV's number

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
  typedef enum logic [1:0] {Pass, Drain, Refuse} state_e;
  typedef enum logic [2:0] {Binary, BinaryInverted, Truncate, ToZero, ToZeroInverted} way_e;
  state_e state_q;

  logic pixels, ends, refused;
  refusal_e refusal;
  encoding_e encoding;
  logic [31:0] bytes;

  lig_image_watch watch (
      .clk_i, .taken_i(s_axis_tvalid && s_axis_tready), .data_i(s_axis_tdata), .user_i(s_axis_tuser),
      .encoding_o(encoding), .bytes_o(bytes), .refusal_o(refusal));

  assign pixels = s_axis_tuser.kind == Values && s_axis_tuser.field == FIELD_DATA;
  assign ends = s_axis_tuser.kind == Done;
  // In place of the data, or of the end of an image without any.
  assign refused = s_axis_tvalid && (pixels || ends) && refusal != Fine;

  assign m_axis_tvalid = state_q == Pass ? s_axis_tvalid && !refused : state_q == Refuse;
  assign s_axis_tready = state_q == Pass ? m_axis_tready && !refused : state_q == Drain;
  assign header_o = header_i;

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
    m_axis_tdata = s_axis_tdata;
    m_axis_tkeep = s_axis_tkeep;
    m_axis_tuser = s_axis_tuser;
    m_axis_tlast = s_axis_tlast;
    for (int unsigned i = 0; i < 8; i++) begin
      if (pixels && s_axis_tkeep[i]) begin
        m_axis_tdata[8*i+:8] = result(s_axis_tdata[8*i+:8], parameter_threshold_i[7:0], parameter_maximum_i[7:0],
                                      way_e'(parameter_type_i[2:0]));
      end
    end
    if (state_q == Refuse) begin
      m_axis_tdata = 64'(refusal);
      m_axis_tkeep = 8'h01;
      m_axis_tuser = '{kind: Broken, field: '0};
      m_axis_tlast = 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Pass: if (refused) state_q <= Drain;
      Drain: if (s_axis_tvalid && s_axis_tlast) state_q <= Refuse;
      Refuse: if (m_axis_tready) state_q <= Pass;
      default: ;
    endcase
    if (rst_i) state_q <= Pass;
  end
endmodule
