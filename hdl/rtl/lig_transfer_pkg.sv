// SPDX-License-Identifier: Apache-2.0
//
// lig_transfer_pkg: what software and the ends of a topic in memory say to each other, spec/device/gateway.md.
//
// A send_t asks for a message to be read, a room_t lends memory for one to be written; each is answered by
// exactly one event_t with its tag.
// verilator lint_off UNUSEDPARAM
// A package uses none of its constants itself.
package lig_transfer_pkg;
  // Ids of publishers below this are ends of the hardware network, the others are in software.
  localparam logic [7:0] SoftwarePublisher = 8'd64;

  typedef enum logic [7:0] {
    Done      = 8'd0,
    Recalled  = 8'd1,  // given back unused
    Loop      = 8'd2,  // the message came from this side
    TooLong   = 8'd3,  // the message does not fit into the room
    Malformed = 8'd4,  // length, tail or address break the rules
    BusError  = 8'd5,  // memory answered with an error
    Late      = 8'd6   // nothing came for TIMEOUT cycles
  } status_e;

  typedef struct packed {
    logic [15:0] tag;
    logic [63:0] address;  // of the body's boundary: a multiple of 64
    lig_stream_pkg::header_t header;
  } send_t;

  typedef struct packed {
    logic [15:0] tag;
    logic [31:0] capacity;  // bytes from address
    logic [63:0] address;   // a multiple of 64
  } room_t;

  typedef struct packed {
    status_e status;
    logic [15:0] tag;
    lig_stream_pkg::header_t header;
  } event_t;
endpackage
// verilator lint_on UNUSEDPARAM
