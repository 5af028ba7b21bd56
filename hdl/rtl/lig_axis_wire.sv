// SPDX-License-Identifier: Apache-2.0
//
// lig_axis_wire: two names for one stream.
module lig_axis_wire (
    lig_axis_if.receiver s_axis,
    lig_axis_if.transmitter m_axis
);
  assign {m_axis.tvalid, m_axis.tdata, m_axis.tkeep, m_axis.tlast} = {
      s_axis.tvalid, s_axis.tdata, s_axis.tkeep, s_axis.tlast};
  assign s_axis.tready = m_axis.tready;
endmodule
