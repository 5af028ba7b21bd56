// SPDX-License-Identifier: Apache-2.0
//
// lig_slot: what stands between a shell and a region whose core may be exchanged (spec/device/slots.md).
//
// To the region (to_region) and from it (from_region) go the pins of one stream each, whose valid and ready come from
// registers. While isolate_i is high, or the core in the region is not one for this shell, valid and ready towards
// the region are low, and nothing that the region says is heard: it may be a core that hangs, or none at all. What
// comes for the region is then swallowed, so that whoever sends it comes to an end. Within reset, and 3 cycles behind
// it, nothing passes in either direction and nothing is swallowed: the core's own reset comes one register later.
//
// isolate_i changes only while rst_i is high. foreign_o tells that identity_i is not IDENTITY, in the cycle behind.
//
//   latency              1 cycle each way
//   initiation interval  1
//   storage              2 beats each way
//
// Example: between an entry and an exit of memory and the region's pins, in each slot of a shell.
module lig_slot #(
    parameter int unsigned DATA_WIDTH = 64,  // bits of both streams, a multiple of 8, 8..512
    parameter logic [63:0] IDENTITY = '0     // what a core for this shell says
) (
    input logic clk_i, rst_i,  // reset: synchronous, high
    input  logic        isolate_i,
    input  logic [63:0] identity_i,  // of the core in the region
    output logic        foreign_o,
    output logic        core_rst_o,  // of the region

    lig_axis_if.receiver s_axis,
    lig_axis_if.transmitter m_axis,
    lig_axis_if.transmitter to_region,
    lig_axis_if.receiver from_region
);
  logic [2:0] settling_q;
  logic foreign_q, core_rst_q, swallows, open;
  assign foreign_o = foreign_q;
  assign core_rst_o = core_rst_q;
  assign swallows = isolate_i || foreign_q;
  assign open = !swallows && settling_q == '0;

  always_ff @(posedge clk_i) begin
    foreign_q <= identity_i != IDENTITY;
    core_rst_q <= rst_i || isolate_i;
    settling_q <= {settling_q[1:0], 1'b0};
    if (rst_i) settling_q <= '1;
  end

  lig_axis_if #(.DATA_WIDTH(DATA_WIDTH)) ahead (), behind ();
  lig_skid #(.DATA_WIDTH(DATA_WIDTH)) towards (.clk_i, .rst_i, .s_axis, .m_axis(ahead));
  assign to_region.tvalid = ahead.tvalid && open;
  assign to_region.tdata = ahead.tdata;
  assign to_region.tkeep = ahead.tkeep;
  assign to_region.tlast = ahead.tlast;
  assign ahead.tready = swallows || (to_region.tready && open);

  assign behind.tvalid = from_region.tvalid && open;
  assign behind.tdata = from_region.tdata;
  assign behind.tkeep = from_region.tkeep;
  assign behind.tlast = from_region.tlast;
  assign from_region.tready = behind.tready && open;
  lig_skid #(.DATA_WIDTH(DATA_WIDTH)) back (.clk_i, .rst_i, .s_axis(behind), .m_axis);
endmodule
