// SPDX-License-Identifier: Apache-2.0
//
// image_convert: the FPGA form of image/convert: lig_image_in, lig_image_convert, lig_image_out.
//
//   initiation interval  PIXELS pixels
//   latency              a few cycles
//   a frame              as many cycles as each row has pixels / PIXELS, rounded up, and the latency
module image_convert
  import lig_image_pkg::*;
#(
    parameter int unsigned PIXELS = 1  // per cycle: 1, 2, 4, 8
) (
    input logic clk_i, rst_i,  // reset: synchronous, high

    input logic [63:0] parameter_encoding_i,  // the place among the parameter's choices: mono8 rgb8 bgr8 rgba8 bgra8

    lig_fields_if.receiver s_axis,
    lig_fields_if.transmitter m_axis
);
  logic [PIXELS-1:0] known;
  turn_t turn;
  shape_t shape, result;
  refusal_e unreadable, refusal;
  lig_image_pixels_if #(.PIXELS(PIXELS)) raw (), made ();

  lig_image_ends #(.MAX_WIDTH(32767), .MAX_HEIGHT(32767), .PIXELS(PIXELS)) ends (
      .clk_i, .rst_i, .s_axis, .m_axis, .ready_i(1'b1), .prepared_i(1'b1), .turn_o(turn), .shape_o(shape),
      .refusal_o(unreadable), .result_i(result), .refusal_i(refusal), .broken_i(1'b0), .raw, .made);

  for (genvar i = 0; i < PIXELS; i++) begin : g_pixel
    lig_image_convert convert (
        .from_i(shape.encoding), .to_i(result.encoding), .pixel_i(raw.pixel[32*i+:32]), .pixel_o(made.pixel[32*i+:32]),
        .known_o(known[i]));
  end
  assign made.valid = raw.valid;
  assign raw.ready = made.ready;

  always_comb begin
    result = shape;
    result.encoding = encoding_e'(parameter_encoding_i[2:0]);
    refusal = unreadable != Fine ? unreadable : known[0] ? Fine : NoConversion;
  end
endmodule
