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
(
    input logic clk_i,
    input logic rst_i, // synchronous, high

    input  logic        s_axis_tvalid,
    output logic        s_axis_tready,
    input  logic [63:0] s_axis_tdata,
    input  logic [7:0]  s_axis_tkeep,
    input  token_t      s_axis_tuser,
    input  logic        s_axis_tlast,  // of the message
    input  header_t     header_i,      // of the message whose first beat is offered

    output logic        m_axis_tvalid,
    input  logic        m_axis_tready,
    output logic [63:0] m_axis_tdata,
    output logic [7:0]  m_axis_tkeep,
    output token_t      m_axis_tuser,
    output logic        m_axis_tlast,
    output header_t     header_o       // of the message whose beats come
);
  localparam int unsigned SideBits = 8 + $bits(token_t);

  logic begins_q, enters, room;
  header_t header_q;
  logic [SideBits-1:0] side;

  assign enters = !begins_q || !m_axis_tvalid;
  assign s_axis_tready = room && enters;
  assign header_o = header_q;
  assign m_axis_tuser = token_t'(side[SideBits-1:8]);
  assign m_axis_tkeep = side[7:0];

  always_ff @(posedge clk_i) begin
    if (s_axis_tvalid && s_axis_tready) begins_q <= s_axis_tlast;
    // Of whatever comes next: 128 registers need not wait for a late tvalid.
    if (begins_q && !m_axis_tvalid) header_q <= header_i;
    if (rst_i) begins_q <= 1'b1;
  end

  lig_axis_if #(.KEEP_WIDTH(SideBits)) ahead (), behind ();
  assign ahead.tvalid = s_axis_tvalid && enters;
  assign ahead.tdata = s_axis_tdata;
  assign ahead.tkeep = {s_axis_tuser, s_axis_tkeep};
  assign ahead.tlast = s_axis_tlast;
  assign room = ahead.tready;
  lig_skid #(.DATA_WIDTH(64), .KEEP_WIDTH(SideBits)) beats (.clk_i, .rst_i, .s_axis(ahead), .m_axis(behind));
  assign m_axis_tvalid = behind.tvalid;
  assign m_axis_tdata = behind.tdata;
  assign side = behind.tkeep;
  assign m_axis_tlast = behind.tlast;
  assign behind.tready = m_axis_tready;
endmodule
