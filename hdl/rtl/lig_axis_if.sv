// SPDX-License-Identifier: Apache-2.0
//
// lig_axis_if: an AXI4-Stream of messages as one bundle of signals (spec/wire/stream.md).
//
// KEEP_WIDTH other than DATA_WIDTH / 8: something else is carried in tkeep's place, see the module that does it.
// tuser, with tlast: the frame is marked. lig_length marks, lig_fifo_drop and lig_fifo_last drop what is marked;
// nobody else has it.
// verilator lint_off UNUSEDSIGNAL
// Nobody needs all of it.
interface lig_axis_if #(
    parameter int unsigned DATA_WIDTH = 64,
    parameter int unsigned KEEP_WIDTH = DATA_WIDTH / 8
);
  logic tvalid, tready, tlast, tuser;
  logic [DATA_WIDTH-1:0] tdata;
  logic [KEEP_WIDTH-1:0] tkeep;

  modport transmitter(output tvalid, tdata, tkeep, tlast, input tready);
  modport receiver(input tvalid, tdata, tkeep, tlast, output tready);
  modport marking(output tvalid, tdata, tkeep, tlast, tuser, input tready);
  modport marked(input tvalid, tdata, tkeep, tlast, tuser, output tready);
  modport monitor(input tvalid, tready, tdata, tkeep, tlast);
endinterface
// verilator lint_on UNUSEDSIGNAL
