// SPDX-License-Identifier: Apache-2.0
//
// lig_gateway: keeps a software-mapped topic and a hardware-mapped topic in step, for messages of any type.
//
//   pool -- send --> lig_smt_sub --> m_axis --> hardware topic --> s_axis --> lig_smt_pub -- room, event --> pool
//
// A message crosses memory once per direction, however many nodes wait for it on the other side. The two
// directions share nothing but the port's wires: a request from one side never has to be taken back because
// the other side has something to say. What can be taken back is what nobody has begun (recall_i); who was first
// is decided by one register (lig_smt_pub). spec/device/gateway.md has the argument, spec/models/gateway.pml the
// model.
//
// No message goes round: a frame of a publisher in software came from here and is dropped before memory; a
// message of a publisher in hardware that software wants to send is refused (Loop).
//
// One AXI4 master: reads are of the one direction, writes of the other. lig_axi_mux joins several gateways on a port.
//
//   latency, interval, storage   those of lig_smt_sub and lig_smt_pub
module lig_gateway
  import lig_transfer_pkg::*;
#(
    parameter int unsigned DATA_WIDTH = 64,   // bits: 64, 128, 256, 512
    parameter int unsigned BURST_BEATS = 16,  // a power of two, 1..256, 4096 bytes at most
    parameter int unsigned DEPTH = 256,       // beats per direction, at least two bursts
    parameter int unsigned OUTSTANDING = 16,  // bursts in flight per direction; a power of two, 2..256
    parameter int unsigned QUEUE = 8,         // sends and rooms being worked on; a power of two, 2 or more
    parameter int unsigned TIMEOUT = 0        // cycles of silence until a message is given up; 0: never
) (
    input logic clk_i, rst_i,  // reset: synchronous, high
    input logic recall_i,  // give back every room and every send that is not begun
    input logic [7:0] topic_i,

    // software to hardware
    input logic send_valid_i, output logic send_ready_o, input send_t send_i,
    output logic sent_valid_o, input logic sent_ready_i, output event_t sent_o,
    output logic   late_o,
    lig_axis_if.transmitter m_axis,

    // hardware to software
    lig_axis_if.receiver s_axis,
    input logic room_valid_i, output logic room_ready_o, input room_t room_i,
    output logic stored_valid_o, input logic stored_ready_i, output event_t stored_o,
    output logic [31:0] looped_o,
    output logic [31:0] dropped_o,

    lig_axi_if.read_manager m_axi_read,   // of one port, as a rule: each direction drives its half
    lig_axi_if.write_manager m_axi_write
);
  lig_smt_sub #(
      .DATA_WIDTH(DATA_WIDTH), .BURST_BEATS(BURST_BEATS), .DEPTH(DEPTH), .OUTSTANDING(OUTSTANDING),
      .QUEUE(QUEUE), .TIMEOUT(TIMEOUT), .FILTER(1)) to_hardware (
      .clk_i, .rst_i, .recall_i, .send_valid_i, .send_ready_o, .send_i,
      .event_valid_o(sent_valid_o), .event_ready_i(sent_ready_i), .event_o(sent_o), .late_o,
      .m_axis, .m_axi(m_axi_read));

  lig_smt_pub #(
      .DATA_WIDTH(DATA_WIDTH), .BURST_BEATS(BURST_BEATS), .DEPTH(DEPTH), .OUTSTANDING(OUTSTANDING),
      .ROOMS(QUEUE), .TIMEOUT(TIMEOUT), .FILTER(1)) to_software (
      .clk_i, .rst_i, .recall_i, .topic_i,
      .s_axis,
      .room_valid_i, .room_ready_o, .room_i,
      .event_valid_o(stored_valid_o), .event_ready_i(stored_ready_i), .event_o(stored_o),
      .looped_o, .dropped_o,
      .m_axi(m_axi_write));
endmodule
