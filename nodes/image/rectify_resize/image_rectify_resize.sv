// SPDX-License-Identifier: Apache-2.0
//
// image_rectify_resize: the FPGA form of image/rectify_resize: rectify and resize in one core.
//
// The kernels of image_rectify and image_resize one behind the other: the rectified image exists four rows at a time.
// Same output, bit by bit, and the same refusals.
//
//   initiation interval  PIXELS pixels in, PIXELS pixels out
//   latency              those of the two kernels added
//   a frame              as many cycles as it has pixels / PIXELS (the result, where that is larger), and the latency
module image_rectify_resize
  import lig_image_pkg::*;
#(
    parameter int unsigned LINES     = 64,   // rows held for the lens, a power of two
    parameter int unsigned MAX_WIDTH = 1280,  // longest row, even
    parameter int unsigned PIXELS    = 1      // per cycle: 1, 2, 4, 8
) (
    input logic clk_i, rst_i,  // reset: synchronous, high

    input logic [63:0] parameter_interpolation_i, parameter_resize_interpolation_i, parameter_use_scale_i,
    input logic [63:0] parameter_scale_height_i, parameter_scale_width_i,  // doubles
    input logic [63:0] parameter_height_i, parameter_width_i,              // -1: as it is

    lig_fields_if.receiver s_axis_image,
    lig_fields_if.receiver s_axis_camera_info,
    lig_fields_if.transmitter m_axis
);
  turn_t turn;
  logic known, unread, lost, sized, bad;
  shape_t shape, result;
  lens_t lens;
  refusal_e unreadable, unusable, refusal;
  lig_image_pixels_if #(.PIXELS(PIXELS)) raw (), flat (), made ();

  lig_image_lens read_lens (
      .clk_i, .rst_i, .s_axis(s_axis_camera_info), .valid_o(known), .refusal_o(unusable), .broken_o(unread),
      .lens_o(lens), .next_i(turn.over));

  lig_image_ends #(.MAX_WIDTH(MAX_WIDTH), .MAX_HEIGHT(32767 - 2 * LINES), .PREPARES(1), .PIXELS(PIXELS)) ends (
      .clk_i, .rst_i, .s_axis(s_axis_image), .m_axis, .ready_i(known), .prepared_i(sized || unreadable != Fine),
      .turn_o(turn), .shape_o(shape), .refusal_o(unreadable), .result_i(result), .refusal_i(refusal),
      .broken_i(unread || lost), .raw, .made);

  lig_image_rectify #(.LINES(LINES), .MAX_WIDTH(MAX_WIDTH), .PIXELS(PIXELS)) rectify (
      .clk_i, .rst_i, .start_i(turn.start), .run_i(turn.answers), .width_i(shape.width), .height_i(shape.height),
      .lens_i(lens), .raw, .made(flat), .lost_o(lost));

  lig_image_resize #(.MAX_WIDTH(MAX_WIDTH), .PIXELS(PIXELS)) resize (
      .clk_i, .rst_i, .start_i(turn.start), .shape_i(shape), .by_scale_i(parameter_use_scale_i[0]),
      .scale_x_i(parameter_scale_width_i), .scale_y_i(parameter_scale_height_i),
      .to_width_i(parameter_width_i), .to_height_i(parameter_height_i),
      .sized_o(sized), .bad_o(bad), .result_o(result), .raw(flat), .made);

  always_comb begin
    refusal = unreadable;
    if (unreadable != Fine) ;
    else if (parameter_interpolation_i != 64'd1 || parameter_resize_interpolation_i != 64'd1) refusal = NoInterpolation;
    else if (unusable != Fine) refusal = unusable;
    else if (lens.bent && (lens.width != 32'(shape.width) || lens.height != 32'(shape.height))) refusal = OtherSize;
    else if (bad) refusal = NoResize;
    else if (lost) refusal = TooBent;
  end
endmodule
