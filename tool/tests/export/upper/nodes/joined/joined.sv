// SPDX-License-Identifier: Apache-2.0
//
// joined: two texts, the one behind the other. It takes nothing of either text before both are there. Of a set with a
// broken text nothing is said but a Broken beat; what came of it is taken to its end.
module joined
  import lig_fields_pkg::*;
(
    input logic clk_i, rst_i,

    lig_fields_if.receiver s_axis_first,
    lig_fields_if.receiver s_axis_second,
    lig_fields_if.transmitter m_axis
);
  typedef enum logic [2:0] {Wait, First, Second, Drain, Refuse} state_e;
  state_e state_q;
  logic first_over_q, second_over_q;

  logic both, broken;
  assign both = s_axis_first.tvalid && s_axis_second.tvalid;
  assign broken = s_axis_first.tuser.kind == Broken || s_axis_second.tuser.kind == Broken;

  // Encapsulation, length and NUL are there once.
  always_comb begin
    m_axis.header = s_axis_first.header;
    m_axis.header.length = s_axis_first.header.length + s_axis_second.header.length - 32'd9;
    m_axis.header.pad = '0;
  end

  always_comb begin
    s_axis_first.tready = 1'b0;
    s_axis_second.tready = 1'b0;
    m_axis.tvalid = 1'b0;
    m_axis.tdata = s_axis_first.tdata;
    m_axis.tkeep = s_axis_first.tkeep;
    m_axis.tuser = s_axis_first.tuser;
    m_axis.tlast = 1'b0;
    unique case (state_q)
      Wait: begin
        m_axis.tvalid = both && !broken;
        m_axis.tdata = s_axis_first.tdata + s_axis_second.tdata;
        s_axis_first.tready = m_axis.tvalid && m_axis.tready;
        s_axis_second.tready = m_axis.tvalid && m_axis.tready;
      end
      First: begin
        m_axis.tvalid = s_axis_first.tvalid && s_axis_first.tuser.kind == Values;
        s_axis_first.tready = s_axis_first.tuser.kind != Values || m_axis.tready;
      end
      Second: begin
        m_axis.tvalid = s_axis_second.tvalid;
        m_axis.tdata = s_axis_second.tdata;
        m_axis.tkeep = s_axis_second.tkeep;
        m_axis.tuser = s_axis_second.tuser;
        m_axis.tlast = s_axis_second.tlast;
        s_axis_second.tready = m_axis.tready;
      end
      Drain: begin
        s_axis_first.tready = !first_over_q;
        s_axis_second.tready = !second_over_q;
      end
      default: begin
        m_axis.tvalid = 1'b1;
        m_axis.tdata = 64'd16;
        m_axis.tkeep = 8'h01;
        m_axis.tuser = '{kind: Broken, field: '0};
        m_axis.tlast = 1'b1;
      end
    endcase
  end

  logic first_ends, second_ends;
  assign first_ends = s_axis_first.tvalid && s_axis_first.tready && s_axis_first.tlast;
  assign second_ends = s_axis_second.tvalid && s_axis_second.tready && s_axis_second.tlast;

  always_ff @(posedge clk_i) begin
    if (first_ends) first_over_q <= 1'b1;
    if (second_ends) second_over_q <= 1'b1;
    unique case (state_q)
      Wait: if (both) state_q <= broken ? Drain : m_axis.tready ? First : Wait;
      First: if (first_ends) state_q <= s_axis_first.tuser.kind == Broken ? Drain : Second;
      Second: if (second_ends) state_q <= Wait;
      Drain: if (first_over_q && second_over_q) state_q <= Refuse;
      default: if (m_axis.tready) state_q <= Wait;
    endcase
    if (rst_i || state_q == Wait) {first_over_q, second_over_q} <= '0;
    if (rst_i) state_q <= Wait;
  end
endmodule
