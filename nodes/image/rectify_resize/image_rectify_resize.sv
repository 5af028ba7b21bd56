// SPDX-License-Identifier: Apache-2.0
//
// image_rectify_resize: the FPGA form of image/rectify_resize: rectify and resize in one core.
//
// The kernels of image_rectify and image_resize one behind the other: the rectified image exists four rows at a time.
// Same output, bit by bit, and the same refusals.
//
//   initiation interval  1 pixel in, 1 pixel out
//   latency              those of the two kernels added
//   a frame              as many cycles as it has pixels (the result, where that is larger), and the latency
module image_rectify_resize
  import lig_fields_pkg::*;
  import lig_stream_pkg::*;
  import lig_image_pkg::*;
#(
    parameter int unsigned LINES     = 64,   // rows held for the lens, a power of two
    parameter int unsigned MAX_WIDTH = 1280  // longest row, even
) (
    input logic clk_i,
    input logic rst_i, // synchronous, high

    input logic [63:0] parameter_interpolation_i,
    input logic [63:0] parameter_resize_interpolation_i,
    input logic [63:0] parameter_use_scale_i,
    input logic [63:0] parameter_scale_height_i,  // doubles
    input logic [63:0] parameter_scale_width_i,
    input logic [63:0] parameter_height_i,        // -1: as it is
    input logic [63:0] parameter_width_i,

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
  typedef enum logic [1:0] {Wait, Size, Answer, Flush} state_e;
  state_e state_q;

  logic open, ended, broken, done, start, known, unread, lost, sized, bad;
  logic raw_valid, raw_ready, taken, flat_valid, flat_ready, made_valid, made_ready;
  pixel_t raw, flat, made;
  shape_t shape, result;
  lens_t lens;
  refusal_e unreadable, unusable, refusal;
  logic [2:0] text_address;
  logic [63:0] text;
  logic [15:0] width, height;

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
      .pixel_valid_o(flat_valid), .pixel_ready_i(flat_ready), .pixel_o(flat), .lost_o(lost));

  lig_image_resize #(.MAX_WIDTH(MAX_WIDTH)) resize (
      .clk_i, .rst_i, .start_i(start), .width_i(shape.width), .height_i(shape.height),
      .by_scale_i(parameter_use_scale_i[0]),
      .scale_x_i(parameter_scale_width_i), .scale_y_i(parameter_scale_height_i),
      .to_width_i(parameter_width_i[63] ? shape.width : parameter_width_i[15:0]),
      .to_height_i(parameter_height_i[63] ? shape.height : parameter_height_i[15:0]),
      .sized_o(sized), .bad_o(bad), .width_o(width), .height_o(height),
      .pixel_valid_i(flat_valid), .pixel_ready_o(flat_ready), .pixel_i(flat),
      .pixel_valid_o(made_valid), .pixel_ready_i(made_ready), .pixel_o(made));

  always_comb begin
    result = shape;
    result.width = width;
    result.height = height;
  end

  lig_image_out write_image (
      .clk_i, .rst_i, .go_i(state_q == Answer), .shape_i(result), .refusal_i(refusal), .ended_i(ended),
      .broken_i(broken || unread || lost), .done_o(done), .text_address_o(text_address), .text_i(text),
      .pixel_valid_i(made_valid), .pixel_ready_o(made_ready), .pixel_i(made), .header_i(header_image_i),
      .m_axis_tvalid, .m_axis_tready, .m_axis_tdata, .m_axis_tkeep, .m_axis_tuser, .m_axis_tlast, .header_o);

  always_comb begin
    refusal = unreadable;
    if (unreadable != Fine) ;
    else if (parameter_interpolation_i != 64'd1 || parameter_resize_interpolation_i != 64'd1) refusal = NoInterpolation;
    else if (unusable != Fine) refusal = unusable;
    else if (lens.bent && (lens.width != 32'(shape.width) || lens.height != 32'(shape.height))) refusal = OtherSize;
    else if (bad) refusal = NoResize;
    else if (lost) refusal = TooBent;
  end

  // What is left of an image that was refused or broken is let go.
  assign raw_ready = state_q == Flush || (state_q == Answer && taken);
  assign start = state_q == Wait && open && known;

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Wait: if (open && known) state_q <= Size;
      Size: if (sized || unreadable != Fine) state_q <= Answer;
      Answer: if (done) state_q <= Flush;
      Flush: if (!open) state_q <= Wait;
    endcase
    if (rst_i) state_q <= Wait;
  end
endmodule
