// SPDX-License-Identifier: Apache-2.0
//
// lig_stream_pkg: the header of a frame, spec/wire/stream.md section 2.
//
// header_t is the 16 bytes as they lie on the stream: byte 0 in bits 7..0. At 64 bits they are two beats,
// [63:0] first.
// verilator lint_off UNUSEDPARAM
// A package uses none of its constants itself.
package lig_stream_pkg;
  localparam int unsigned HeaderBytes = 16;
  localparam int unsigned BoundaryBytes = 64;

  localparam logic [1:0] KindMessage = 2'd0;
  localparam logic [1:0] KindRequest = 2'd1;
  localparam logic [1:0] KindResponse = 2'd2;
  localparam logic [1:0] KindNoResponse = 2'd3;  // a core's request has none, or a message was refused
  localparam logic [7:0] PublisherUnknown = 8'd255;

  typedef struct packed {
    logic [7:0]  topic;
    logic [55:0] time_ns;
    logic [1:0]  kind;
    logic [5:0]  pad;
    logic [7:0]  publisher;
    logic [15:0] sequence_number;
    logic [31:0] length;
  } header_t;
endpackage
// verilator lint_on UNUSEDPARAM
