// SPDX-License-Identifier: Apache-2.0
//
// image_resize: the FPGA form of image/resize: lig_image_in, lig_image_resize, lig_image_out.
//
// The result's size comes from the first fields of the message, before its pixels. Bilinear only: another
// `interpolation` refuses every image. Formats: mono8, rgb8, bgr8, rgba8, bgra8, 8UC1, 8UC3, 8UC4.
//
//   initiation interval  PIXELS pixels in, PIXELS pixels out
//   latency              two rows, and about 200 cycles in front of the first
//   a frame              as many cycles as it has pixels / PIXELS (the result, where that is larger), and the latency
module image_resize
  import lig_image_pkg::*;
#(
    parameter int unsigned MAX_WIDTH = 1920,  // longest row, even
    parameter int unsigned PIXELS    = 1      // per cycle: 1, 2, 4, 8
) (
    input logic clk_i, rst_i,  // reset: synchronous, high

    input logic [63:0] parameter_interpolation_i, parameter_use_scale_i,
    input logic [63:0] parameter_scale_height_i, parameter_scale_width_i,  // doubles
    input logic [63:0] parameter_height_i, parameter_width_i,              // -1: as it is

    lig_fields_if.receiver s_axis,
    lig_fields_if.transmitter m_axis
);
  turn_t turn;
  logic sized, bad;
  shape_t shape, result;
  refusal_e unreadable, refusal, refusal_q;
  logic prepared;
  lig_image_pixels_if #(.PIXELS(PIXELS)) raw (), made ();

  lig_image_ends #(.MAX_WIDTH(MAX_WIDTH), .MAX_HEIGHT(32767), .PREPARES(1), .PIXELS(PIXELS)) ends (
      .clk_i, .rst_i, .s_axis, .m_axis, .ready_i(1'b1), .prepared_i(prepared), .turn_o(turn), .shape_o(shape),
      .refusal_o(unreadable), .result_i(result), .refusal_i(refusal_q), .broken_i(1'b0), .raw, .made);

  lig_image_resize #(.MAX_WIDTH(MAX_WIDTH), .PIXELS(PIXELS)) resize (
      .clk_i, .rst_i, .start_i(turn.start), .shape_i(shape), .by_scale_i(parameter_use_scale_i[0]),
      .scale_x_i(parameter_scale_width_i), .scale_y_i(parameter_scale_height_i),
      .to_width_i(parameter_width_i), .to_height_i(parameter_height_i),
      .sized_o(sized), .bad_o(bad), .result_o(result), .raw, .made);

  always_comb begin
    refusal = unreadable;
    if (unreadable == Fine && parameter_interpolation_i != 64'd1) refusal = NoInterpolation;
    else if (unreadable == Fine && bad) refusal = NoResize;
  end
  assign prepared = sized || unreadable != Fine;

  always_ff @(posedge clk_i) if (!turn.answers) refusal_q <= refusal;
endmodule
