// SPDX-License-Identifier: Apache-2.0
//
// image_blur: the FPGA form of image/blur: lig_image_in, lig_image_blur, lig_image_out.
//
//   initiation interval  PIXELS pixels in, PIXELS pixels out
//   latency              size / 2 + 1 rows
//   a frame              as many cycles as it has pixels / PIXELS, and the latency
module image_blur
  import lig_image_pkg::*;
#(
    parameter int unsigned MAX_WIDTH = 1920,  // longest row
    parameter int unsigned PIXELS    = 1      // per cycle: 1, 2, 4, 8
) (
    input logic clk_i, rst_i,  // reset: synchronous, high

    input logic [63:0] parameter_size_i,  // 3, 5 or 7

    lig_fields_if.receiver s_axis,
    lig_fields_if.transmitter m_axis
);
  // All of it moves with its streams.
  logic clk;
  lig_rest rest (
      .clk_i, .rst_i, .busy_i(1'b0), .valid_i({s_axis.tvalid, m_axis.tvalid}), .ready_i({s_axis.tready, m_axis.tready}),
      .clk_o(clk));

  turn_t turn;
  shape_t shape;
  refusal_e refusal;
  lig_image_pixels_if #(.PIXELS(PIXELS)) raw (), made ();

  lig_image_ends #(.MAX_WIDTH(MAX_WIDTH), .MAX_HEIGHT(32767), .PIXELS(PIXELS)) ends (
      .clk_i(clk), .rst_i, .s_axis, .m_axis, .ready_i(1'b1), .prepared_i(1'b1), .turn_o(turn), .shape_o(shape),
      .refusal_o(refusal), .result_i(shape), .refusal_i(refusal), .broken_i(1'b0), .raw, .made);

  lig_image_blur #(.MAX_WIDTH(MAX_WIDTH), .PIXELS(PIXELS)) blur (
      .clk_i(clk), .clear_i(rst_i || turn.start), .run_i(turn.answers), .width_i(shape.width), .height_i(shape.height),
      .half_i(parameter_size_i[2:1]), .raw, .made);
endmodule
