// SPDX-License-Identifier: Apache-2.0
//
// image_rectify: the FPGA form of image/rectify: lig_image_lens, lig_image_in, lig_image_rectify, lig_image_out.
//
// The map is computed from each camera_info as it comes; lenses that are not understood, or that bend further
// than the rows held here reach, are refused (lig_image_lens, lig_image_rectify). Bilinear only. The image and
// the camera_info of the same number belong together.
//
//   initiation interval  1 pixel in, 1 pixel out
//   latency              camera_info's 170 cycles, and lig_image_rectify's
//   a frame              as many cycles as it has pixels, and the latency
module image_rectify
  import lig_fields_pkg::*;
  import lig_stream_pkg::*;
  import lig_image_pkg::*;
#(
    parameter int unsigned LINES     = 64,   // rows held, a power of two
    parameter int unsigned MAX_WIDTH = 1280  // longest row, even
) (
    input logic clk_i,
    input logic rst_i, // synchronous, high

    input logic [63:0] parameter_interpolation_i,

    input  logic        s_axis_image_tvalid,
    output logic        s_axis_image_tready,
    input  logic [63:0] s_axis_image_tdata,
    input  logic [7:0]  s_axis_image_tkeep,
    input  token_t      s_axis_image_tuser,
    input  logic        s_axis_image_tlast,
    input  header_t     header_image_i,

    input  logic        s_axis_camera_info_tvalid,
    output logic        s_axis_camera_info_tready,
    input  logic [63:0] s_axis_camera_info_tdata,
    input  logic [7:0]  s_axis_camera_info_tkeep,
    input  token_t      s_axis_camera_info_tuser,
    input  logic        s_axis_camera_info_tlast,
    input  header_t     header_camera_info_i,

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

  logic open, ended, broken, done, start, known, unread, lost;
  logic raw_valid, raw_ready, taken, made_valid, made_ready;
  pixel_t raw, made;
  shape_t shape;
  lens_t lens;
  refusal_e unreadable, unusable, refusal, refusal_q;
  logic [2:0] text_address;
  logic [63:0] text;

  lig_image_lens read_lens (
      .clk_i, .rst_i, .s_axis_tvalid(s_axis_camera_info_tvalid), .s_axis_tready(s_axis_camera_info_tready),
      .s_axis_tdata(s_axis_camera_info_tdata), .s_axis_tuser(s_axis_camera_info_tuser),
      .s_axis_tlast(s_axis_camera_info_tlast), .valid_o(known), .refusal_o(unusable), .broken_o(unread),
      .lens_o(lens), .next_i(state_q == Flush && !open));

  lig_image_in #(.MAX_WIDTH(MAX_WIDTH), .MAX_HEIGHT(32767 - 2 * LINES)) read_image (
      .clk_i, .rst_i, .s_axis_tvalid(s_axis_image_tvalid), .s_axis_tready(s_axis_image_tready),
      .s_axis_tdata(s_axis_image_tdata), .s_axis_tuser(s_axis_image_tuser), .s_axis_tlast(s_axis_image_tlast),
      .open_o(open), .shape_o(shape), .refusal_o(unreadable), .ended_o(ended), .broken_o(broken),
      .next_i(state_q == Flush), .pixel_valid_o(raw_valid), .pixel_ready_i(raw_ready), .pixel_o(raw),
      .text_address_i(text_address), .text_o(text));

  lig_image_rectify #(.LINES(LINES), .MAX_WIDTH(MAX_WIDTH)) rectify (
      .clk_i, .rst_i, .start_i(start), .run_i(state_q == Answer), .width_i(shape.width), .height_i(shape.height),
      .lens_i(lens), .pixel_valid_i(raw_valid && state_q == Answer), .pixel_ready_o(taken), .pixel_i(raw),
      .pixel_valid_o(made_valid), .pixel_ready_i(made_ready), .pixel_o(made), .lost_o(lost));

  lig_image_out write_image (
      .clk_i, .rst_i, .go_i(state_q == Answer), .shape_i(shape), .refusal_i(refusal), .ended_i(ended),
      .broken_i(broken || unread || lost), .done_o(done), .text_address_o(text_address), .text_i(text),
      .pixel_valid_i(made_valid), .pixel_ready_o(made_ready), .pixel_i(made), .header_i(header_image_i),
      .m_axis_tvalid, .m_axis_tready, .m_axis_tdata, .m_axis_tkeep, .m_axis_tuser, .m_axis_tlast, .header_o);

  logic lens_bent, other_size;
  assign lens_bent = lens.bent;
  assign other_size = lens.width != 32'(shape.width) || lens.height != 32'(shape.height);

  function automatic refusal_e judgement();
    if (unreadable != Fine) return unreadable;
    if (parameter_interpolation_i != 64'd1) return NoInterpolation;
    if (unusable != Fine) return unusable;
    return lens_bent && other_size ? OtherSize : Fine;
  endfunction
  assign refusal = refusal_q == Fine && lost ? TooBent : refusal_q;

  // What is left of an image that was refused or broken is let go.
  assign raw_ready = state_q == Flush || (state_q == Answer && taken);
  assign start = state_q == Wait && open && known;

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Wait: if (open && known) begin
        refusal_q <= judgement();
        state_q <= Answer;
      end
      Answer: if (done) state_q <= Flush;
      Flush: if (!open) state_q <= Wait;
      default: ;
    endcase
    if (rst_i) state_q <= Wait;
  end
endmodule
