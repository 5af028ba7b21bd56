// SPDX-License-Identifier: Apache-2.0
//
// image_rectify: the FPGA form of image/rectify: lig_image_lens, lig_image_in, lig_image_rectify, lig_image_out.
//
// The map is computed from each camera_info as it comes; lenses that are not understood, or that bend further
// than the rows held here reach, are refused (lig_image_lens, lig_image_rectify). Bilinear only. The image and
// the camera_info of the same number belong together.
//
//   initiation interval  PIXELS pixels in, PIXELS pixels out
//   latency              camera_info's 170 cycles, and lig_image_rectify's
//   a frame              as many cycles as it has pixels / PIXELS, and the latency
module image_rectify
  import lig_image_pkg::*;
#(
    parameter int unsigned LINES     = 64,   // rows held, a power of two
    parameter int unsigned MAX_WIDTH = 1280,  // longest row, even
    parameter int unsigned PIXELS    = 1      // per cycle: 1, 2, 4, 8
) (
    input logic clk_i, rst_i,  // reset: synchronous, high

    input logic [63:0] parameter_interpolation_i,

    lig_fields_if.receiver s_axis_image,
    lig_fields_if.receiver s_axis_camera_info,
    lig_fields_if.transmitter m_axis
);
  turn_t turn;
  logic known, unread, lost;
  shape_t shape;
  lens_t lens;
  refusal_e unreadable, unusable, refusal, refusal_q;
  lig_image_pixels_if #(.PIXELS(PIXELS)) raw (), made ();

  lig_image_lens read_lens (
      .clk_i, .rst_i, .s_axis(s_axis_camera_info), .valid_o(known), .refusal_o(unusable), .broken_o(unread),
      .lens_o(lens), .next_i(turn.over));

  lig_image_ends #(.MAX_WIDTH(MAX_WIDTH), .MAX_HEIGHT(32767 - 2 * LINES), .PIXELS(PIXELS)) ends (
      .clk_i, .rst_i, .s_axis(s_axis_image), .m_axis, .ready_i(known), .prepared_i(1'b1), .turn_o(turn),
      .shape_o(shape), .refusal_o(unreadable), .result_i(shape), .refusal_i(refusal), .broken_i(unread || lost),
      .raw, .made);

  lig_image_rectify #(.LINES(LINES), .MAX_WIDTH(MAX_WIDTH), .PIXELS(PIXELS)) rectify (
      .clk_i, .rst_i, .start_i(turn.start), .run_i(turn.answers), .width_i(shape.width), .height_i(shape.height),
      .lens_i(lens), .raw, .made, .lost_o(lost));

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

  always_ff @(posedge clk_i) if (turn.start) refusal_q <= judgement();
endmodule
