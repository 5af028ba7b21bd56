// SPDX-License-Identifier: Apache-2.0
//
// lig_fields_pass: a field stream as it comes, with other data; for cores that change the bytes of some fields.
module lig_fields_pass (
    lig_fields_if.receiver s_axis,
    input logic [63:0] data_i,  // in place of s_axis.tdata, which the core reads
    lig_fields_if.transmitter m_axis
);
  assign {m_axis.tvalid, m_axis.tkeep, m_axis.tuser, m_axis.tlast, m_axis.header} = {
      s_axis.tvalid, s_axis.tkeep, s_axis.tuser, s_axis.tlast, s_axis.header};
  assign m_axis.tdata = data_i;
  assign s_axis.tready = m_axis.tready;
endmodule
