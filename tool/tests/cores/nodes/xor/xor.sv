// SPDX-License-Identifier: Apache-2.0
//
// xor_bytes: combines the bytes of `data` with a key, and takes a beat every 1 + pause cycles. The message of the
// number `refuses` is answered with a Broken beat alone.
module xor_bytes
  import lig_fields_pkg::*;
  import lig_sensor_msgs_msg_image_pkg::*;
(
    input logic clk_i,
    input logic rst_i,

    input logic [63:0] parameter_key_i,
    input logic [63:0] parameter_pause_i,
    input logic [63:0] parameter_refuses_i,

    lig_fields_if.receiver s_axis,
    lig_fields_if.transmitter m_axis
);
  logic [3:0] wait_q;
  logic open;
  assign open = wait_q == '0;

  logic [9:0] number_q;  // of the message that comes
  logic refused;
  assign refused = 64'(number_q) == parameter_refuses_i;

  assign m_axis.tvalid = s_axis.tvalid && open && (!refused || s_axis.tlast);
  assign s_axis.tready = open && (m_axis.tready || (refused && !s_axis.tlast));
  assign m_axis.tkeep = s_axis.tkeep;
  assign m_axis.tuser = refused ? '{kind: Broken, field: '0} : s_axis.tuser;
  assign m_axis.tlast = s_axis.tlast;
  assign m_axis.header = s_axis.header;

  logic pixels;
  assign pixels = s_axis.tuser.kind == Values && s_axis.tuser.field == FIELD_DATA;

  always_comb begin
    m_axis.tdata = refused ? 64'd17 : s_axis.tdata;
    for (int unsigned i = 0; i < 8; i++) begin
      if (pixels && !refused && s_axis.tkeep[i]) m_axis.tdata[8*i+:8] = s_axis.tdata[8*i+:8] ^ parameter_key_i[7:0];
    end
  end

  always_ff @(posedge clk_i) begin
    if (m_axis.tvalid && m_axis.tready) wait_q <= parameter_pause_i[3:0];
    else if (!open) wait_q <= wait_q - 1'b1;
    if (s_axis.tvalid && s_axis.tready && s_axis.tlast) number_q <= number_q + 1'b1;
    if (rst_i) begin
      wait_q <= '0;
      number_q <= 10'd1;
    end
  end
endmodule
