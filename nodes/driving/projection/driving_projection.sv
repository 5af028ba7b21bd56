// SPDX-License-Identifier: Apache-2.0
//
// driving_projection: the FPGA form of driving/projection, bit by bit: lig_image_in, lig_drive_ground, lig_drive_pixel_project,
// lig_image_out.
//
// The table of rows is made of the parameters when the first picture of a size has come. Formats: rgb8, bgr8, 8UC3.
//
//   initiation interval  PIXELS pixels in, PIXELS pixels out
//   latency              the rows of the picture above those that the view shows; the table, once per size
//   a frame              as many cycles as the view has pixels / PIXELS, and as the rows above and below it in the picture have
module driving_projection
  import lig_image_pkg::*;
#(
    parameter int unsigned MAX_WIDTH = 1920,  // longest row of a picture, even
    parameter int unsigned PIXELS    = 1      // per cycle: 1, 2, 4, 8
) (
    input logic clk_i, rst_i,  // reset: synchronous, high

    input logic [63:0] parameter_near_edge_i, parameter_far_edge_i, parameter_half_width_i,  // doubles
    input logic [63:0] parameter_width_i, parameter_height_i,                                // of the view
    input logic [63:0] parameter_camera_height_i, parameter_camera_ahead_i,                  // doubles
    input logic [63:0] parameter_camera_pitch_i, parameter_camera_fov_i,

    lig_fields_if.receiver s_axis,
    lig_fields_if.transmitter m_axis
);
  // But for the table all of it moves with its streams.
  logic clk, ready;
  lig_rest rest (
      .clk_i, .rst_i, .busy_i(!ready), .valid_i({s_axis.tvalid, m_axis.tvalid}), .ready_i({s_axis.tready, m_axis.tready}),
      .clk_o(clk));

  turn_t turn;
  logic wrong, colour, prepared;
  shape_t shape, result;
  refusal_e unreadable, refusal, refusal_q;
  lig_image_pixels_if #(.PIXELS(PIXELS)) raw (), made ();

  lig_image_ends #(.MAX_WIDTH(MAX_WIDTH), .MAX_HEIGHT(32759), .PREPARES(1), .PIXELS(PIXELS)) ends (
      .clk_i(clk), .rst_i, .s_axis, .m_axis, .ready_i(1'b1), .prepared_i(prepared), .turn_o(turn), .shape_o(shape),
      .refusal_o(unreadable), .result_i(result), .refusal_i(refusal_q), .broken_i(1'b0), .raw, .made);

  always_comb begin
    result = shape;
    result.width = parameter_width_i[15:0];
    result.height = parameter_height_i[15:0];
    refusal = unreadable;
    if (unreadable == Fine && !colour) refusal = NoColour;
    else if (unreadable == Fine && wrong) refusal = NoView;
  end
  assign colour = shape.encoding inside {Rgb8, Bgr8, C3};
  assign prepared = ready || unreadable != Fine || !colour;

  always_ff @(posedge clk) if (!turn.answers) refusal_q <= refusal;

  // --- the table ------------------------------------------------------------------------------------------

  logic [15:0] row;
  logic signed [21:0] row_32;
  logic signed [51:0] column_q16, step_q16;
  lig_drive_ground ground (
      .clk_i(clk), .rst_i, .start_i(turn.start && unreadable == Fine && colour), .width_i(shape.width), .height_i(shape.height),
      .parameter_near_edge_i, .parameter_far_edge_i, .parameter_half_width_i, .parameter_width_i, .parameter_height_i,
      .parameter_camera_height_i, .parameter_camera_ahead_i, .parameter_camera_pitch_i, .parameter_camera_fov_i,
      .ready_o(ready), .wrong_o(wrong), .row_i(row[9:0]), .row_32_o(row_32), .column_q16_o(column_q16),
      .step_q16_o(step_q16));

  lig_drive_pixel_project #(.MAX_WIDTH(MAX_WIDTH), .PLACE(52), .PIXELS(PIXELS)) project (
      .clk_i(clk), .rst_i, .start_i(turn.start), .run_i(turn.answers), .width_i(shape.width), .height_i(shape.height),
      .columns_i(result.width), .rows_i(result.height), .row_o(row), .row_32_i(row_32), .column_q16_i(column_q16),
      .step_q16_i(step_q16), .raw, .made);
endmodule
