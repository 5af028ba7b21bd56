// SPDX-License-Identifier: Apache-2.0
//
// lig_axi_no_write: the write half of a memory port whose manager only reads.
module lig_axi_no_write (
    lig_axi_if.write_manager m_axi
);
  assign {m_axi.awvalid, m_axi.wvalid, m_axi.wlast} = '0;
  assign m_axi.awid = '0;
  assign m_axi.awaddr = '0;
  assign m_axi.awlen = '0;
  assign m_axi.wdata = '0;
  assign m_axi.wstrb = '0;
  assign m_axi.bready = 1'b1;
endmodule
