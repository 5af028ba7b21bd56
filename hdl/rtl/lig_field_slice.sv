// SPDX-License-Identifier: Apache-2.0
//
// lig_field_slice: cuts every path between the two sides of a field stream.
//
// lig_skid for the beats with their tokens, and one place for the header: it comes with the first beat of its
// message and stays until the last one has left. So a message enters only when all of the one before has left;
// lig_unpack pauses for longer than that between messages anyway. Generated wrappers have one on each side of a
// core, so its author may decide in the same cycle what to take and what to say (spec/device/fpga.md).
//
//   latency              1 cycle
//   initiation interval  1; a message waits until the last beat of the one before has left
//   storage              2 beats, the header
module lig_field_slice
  import lig_fields_pkg::*;
  import lig_stream_pkg::*;
#(
    parameter int unsigned DATA_WIDTH = 64  // bits of the field stream
) (
    input logic clk_i, rst_i,  // reset: synchronous, high

    lig_fields_if.receiver s_axis,
    lig_fields_if.transmitter m_axis
);
  localparam int unsigned K = DATA_WIDTH / 8;
  localparam int unsigned SideBits = K + $bits(token_t);

  logic begins_q, enters, room;
  header_t header_q;
  logic [SideBits-1:0] side;

  assign enters = !begins_q || !m_axis.tvalid;
  assign s_axis.tready = room && enters;
  assign m_axis.header = header_q;
  assign m_axis.tuser = token_t'(side[SideBits-1:K]);
  assign m_axis.tkeep = side[K-1:0];

  always_ff @(posedge clk_i) begin
    if (s_axis.tvalid && s_axis.tready) begins_q <= s_axis.tlast;
    // Of whatever comes next: 128 registers need not wait for a late tvalid.
    if (begins_q && !m_axis.tvalid) header_q <= s_axis.header;
    if (rst_i) begins_q <= 1'b1;
  end

  lig_axis_if #(.DATA_WIDTH(DATA_WIDTH), .KEEP_WIDTH(SideBits)) ahead (), behind ();
  assign ahead.tvalid = s_axis.tvalid && enters;
  assign ahead.tdata = s_axis.tdata;
  assign ahead.tkeep = {s_axis.tuser, s_axis.tkeep};
  assign ahead.tlast = s_axis.tlast;
  assign room = ahead.tready;
  lig_skid #(.DATA_WIDTH(DATA_WIDTH), .KEEP_WIDTH(SideBits)) beats (.clk_i, .rst_i, .s_axis(ahead), .m_axis(behind));
  assign m_axis.tvalid = behind.tvalid;
  assign m_axis.tdata = behind.tdata;
  assign side = behind.tkeep;
  assign m_axis.tlast = behind.tlast;
  assign behind.tready = m_axis.tready;
endmodule
