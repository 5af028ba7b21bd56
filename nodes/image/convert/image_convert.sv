// SPDX-License-Identifier: Apache-2.0
//
// image_convert: the FPGA form of image/convert: lig_image_in, lig_image_convert, lig_image_out.
//
//   initiation interval  1 pixel
//   latency              a few cycles
//   a frame              as many cycles as it has pixels, and the latency
module image_convert
  import lig_fields_pkg::*;
  import lig_stream_pkg::*;
  import lig_image_pkg::*;
(
    input logic clk_i,
    input logic rst_i, // synchronous, high

    input logic [63:0] parameter_encoding_i,  // the place among the parameter's choices: mono8 rgb8 bgr8 rgba8 bgra8

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
  typedef enum logic [1:0] {Wait, Answer, Flush} state_e;
  state_e state_q;

  logic open, ended, broken, done, known;
  logic raw_valid, raw_ready, made_ready;
  pixel_t raw, made;
  shape_t shape, result;
  refusal_e unreadable, refusal;
  logic [2:0] text_address;
  logic [63:0] text;

  lig_image_in #(.MAX_WIDTH(32767), .MAX_HEIGHT(32767)) read_image (
      .clk_i, .rst_i, .s_axis_tvalid, .s_axis_tready, .s_axis_tdata, .s_axis_tuser, .s_axis_tlast,
      .open_o(open), .shape_o(shape), .refusal_o(unreadable), .ended_o(ended), .broken_o(broken),
      .next_i(state_q == Flush), .pixel_valid_o(raw_valid), .pixel_ready_i(raw_ready), .pixel_o(raw),
      .text_address_i(text_address), .text_o(text));

  lig_image_convert convert (
      .from_i(shape.encoding), .to_i(encoding_e'(parameter_encoding_i[2:0])), .pixel_i(raw), .pixel_o(made),
      .known_o(known));

  always_comb begin
    result = shape;
    result.encoding = encoding_e'(parameter_encoding_i[2:0]);
    refusal = unreadable != Fine ? unreadable : known ? Fine : NoConversion;
  end

  lig_image_out write_image (
      .clk_i, .rst_i, .go_i(state_q == Answer), .shape_i(result), .refusal_i(refusal), .ended_i(ended),
      .broken_i(broken), .done_o(done), .text_address_o(text_address), .text_i(text),
      .pixel_valid_i(raw_valid && state_q == Answer), .pixel_ready_o(made_ready), .pixel_i(made), .header_i,
      .m_axis_tvalid, .m_axis_tready, .m_axis_tdata, .m_axis_tkeep, .m_axis_tuser, .m_axis_tlast, .header_o);

  // What is left of a message that was refused or broken is let go.
  assign raw_ready = state_q == Flush || (state_q == Answer && made_ready);

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Wait: if (open) state_q <= Answer;
      Answer: if (done) state_q <= Flush;
      Flush: if (!open) state_q <= Wait;
      default: ;
    endcase
    if (rst_i) state_q <= Wait;
  end
endmodule
