// SPDX-License-Identifier: Apache-2.0
//
// driving_green_light: the FPGA form of driving/green_light (lig_drive_light).
module driving_green_light #(
    parameter int unsigned PIXELS    = 1,    // per cycle: 1, 2, 4, 8
    parameter int unsigned MAX_WIDTH = 2048  // of a picture
) (
    input logic clk_i, rst_i,  // reset: synchronous, high

    input logic [63:0] parameter_hue_from_i, parameter_hue_to_i, parameter_saturation_from_i, parameter_saturation_to_i,
    input logic [63:0] parameter_value_from_i, parameter_rows_permille_i, parameter_diameter_from_i, parameter_diameter_to_i,
    input logic [63:0] parameter_confirm_i,

    lig_fields_if.receiver s_axis_image,
    lig_fields_if.receiver s_axis_red,
    lig_fields_if.transmitter m_axis
);
  lig_drive_light #(.BEGINS(0), .PIXELS(PIXELS), .MAX_WIDTH(MAX_WIDTH)) light (
      .parameter_alternates_i(64'd1), .s_axis_other(s_axis_red), .*);
endmodule
