// SPDX-License-Identifier: Apache-2.0
//
// image_resize: the FPGA form of image/resize: lig_image_in, lig_image_resize, lig_image_out.
//
// The result's size comes from the first fields of the message, before its pixels. Bilinear only: another
// `interpolation` refuses every image. Formats: mono8, rgb8, bgr8, rgba8, bgra8, 8UC1, 8UC3, 8UC4.
//
//   initiation interval  1 pixel in, 1 pixel out
//   latency              two rows, and about 200 cycles in front of the first
//   a frame              as many cycles as it has pixels (the result, where that is larger), and the latency
module image_resize
  import lig_fields_pkg::*;
  import lig_stream_pkg::*;
  import lig_image_pkg::*;
#(
    parameter int unsigned MAX_WIDTH = 1920  // longest row, even
) (
    input logic clk_i,
    input logic rst_i, // synchronous, high

    input logic [63:0] parameter_interpolation_i,
    input logic [63:0] parameter_use_scale_i,
    input logic [63:0] parameter_scale_height_i,  // doubles
    input logic [63:0] parameter_scale_width_i,
    input logic [63:0] parameter_height_i,        // -1: as it is
    input logic [63:0] parameter_width_i,

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
  typedef enum logic [1:0] {Wait, Size, Answer, Flush} state_e;
  state_e state_q;

  logic open, ended, broken, done, start, sized, bad;
  logic raw_valid, raw_ready, taken, made_valid, made_ready;
  pixel_t raw, made;
  shape_t shape, result;
  refusal_e unreadable, refusal, refusal_q;
  logic [2:0] text_address;
  logic [63:0] text;
  logic [15:0] width, height;

  lig_image_in #(.MAX_WIDTH(MAX_WIDTH), .MAX_HEIGHT(32767)) in (
      .clk_i, .rst_i, .s_axis_tvalid, .s_axis_tready, .s_axis_tdata, .s_axis_tuser, .s_axis_tlast,
      .open_o(open), .shape_o(shape), .refusal_o(unreadable), .ended_o(ended), .broken_o(broken),
      .next_i(state_q == Flush), .pixel_valid_o(raw_valid), .pixel_ready_i(raw_ready), .pixel_o(raw),
      .text_address_i(text_address), .text_o(text));

  lig_image_resize #(.MAX_WIDTH(MAX_WIDTH)) resize (
      .clk_i, .rst_i, .start_i(start), .width_i(shape.width), .height_i(shape.height),
      .by_scale_i(parameter_use_scale_i[0]),
      .scale_x_i(parameter_scale_width_i), .scale_y_i(parameter_scale_height_i),
      .to_width_i(parameter_width_i[63] ? shape.width : parameter_width_i[15:0]),
      .to_height_i(parameter_height_i[63] ? shape.height : parameter_height_i[15:0]),
      .sized_o(sized), .bad_o(bad), .width_o(width), .height_o(height),
      .pixel_valid_i(raw_valid && state_q == Answer), .pixel_ready_o(taken), .pixel_i(raw),
      .pixel_valid_o(made_valid), .pixel_ready_i(made_ready), .pixel_o(made));

  always_comb begin
    result = shape;
    result.width = width;
    result.height = height;
  end

  lig_image_out out (
      .clk_i, .rst_i, .go_i(state_q == Answer), .shape_i(result), .refusal_i(refusal_q), .ended_i(ended),
      .broken_i(broken), .done_o(done), .text_address_o(text_address), .text_i(text),
      .pixel_valid_i(made_valid), .pixel_ready_o(made_ready), .pixel_i(made), .header_i,
      .m_axis_tvalid, .m_axis_tready, .m_axis_tdata, .m_axis_tkeep, .m_axis_tuser, .m_axis_tlast, .header_o);

  always_comb begin
    refusal = unreadable;
    if (unreadable == Fine && parameter_interpolation_i != 64'd1) refusal = NoInterpolation;
    else if (unreadable == Fine && bad) refusal = NoResize;
  end

  // What is left of a message that was refused or broken is let go.
  assign raw_ready = state_q == Flush || (state_q == Answer && taken);
  assign start = state_q == Wait && open;

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Wait: if (open) state_q <= Size;
      Size: if (sized || unreadable != Fine) begin
        refusal_q <= refusal;
        state_q <= Answer;
      end
      Answer: if (done) state_q <= Flush;
      Flush: if (!open) state_q <= Wait;
    endcase
    if (rst_i) state_q <= Wait;
  end
endmodule
