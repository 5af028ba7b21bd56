// SPDX-License-Identifier: Apache-2.0
//
// lig_fields_if: a field stream, and the header of its message, as one bundle of signals (spec/wire/fields.md).
//
// The header is offered with the first beat of its message and stays until the last one was taken.
// verilator lint_off UNUSEDSIGNAL
// Nobody needs all of it.
interface lig_fields_if #(
    parameter int unsigned DATA_WIDTH = 64  // bits: 64, 128, 256, 512
);
  logic tvalid, tready, tlast;  // last: of the message
  logic [DATA_WIDTH-1:0] tdata;
  logic [DATA_WIDTH/8-1:0] tkeep;
  lig_fields_pkg::token_t tuser;
  lig_stream_pkg::header_t header;

  modport transmitter(output tvalid, tdata, tkeep, tuser, tlast, header, input tready);
  modport receiver(input tvalid, tdata, tkeep, tuser, tlast, header, output tready);
endinterface
// verilator lint_on UNUSEDSIGNAL
