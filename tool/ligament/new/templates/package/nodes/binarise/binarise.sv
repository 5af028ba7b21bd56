// SPDX-License-Identifier: Apache-2.0
//
// Bytes of `data` become 255 or 0, all other fields pass. Eight bytes per cycle, no latency.
module binarise
  import lig_fields_pkg::*;
  import lig_sensor_msgs_msg_image_pkg::*;
(
    input logic clk_i,
    input logic rst_i,

    input logic [63:0] parameter_level_i,

    lig_fields_if.receiver s_axis,
    lig_fields_if.transmitter m_axis
);
  logic [63:0] data;
  lig_fields_pass pass (.s_axis, .data_i(data), .m_axis);

  logic pixels;
  assign pixels = s_axis.tuser.kind == Values && s_axis.tuser.field == FIELD_DATA;

  always_comb begin
    data = s_axis.tdata;
    for (int unsigned i = 0; i < 8; i++) begin
      if (pixels) data[8*i+:8] = {8{s_axis.tdata[8*i+:8] >= parameter_level_i[7:0]}};
    end
  end
endmodule
