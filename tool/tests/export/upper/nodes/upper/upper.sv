// SPDX-License-Identifier: Apache-2.0
//
// upper: a text in capital letters. One that begins with '!' ends with a Broken beat, one that begins with '~' waits
// for Pause cycles in front of its first letters. What the conformance suite of devices asks of a program.
module upper
  import lig_fields_pkg::*;
(
    input logic clk_i, rst_i,

    lig_fields_if.receiver s_axis,
    lig_fields_if.transmitter m_axis
);
  localparam int unsigned Pause = 300_000;
  typedef enum logic [1:0] {Pass, Drain, Refuse} state_e;
  state_e state_q;
  logic first_q;  // no letters of this text have passed
  logic [18:0] left_q;
  logic letters, refused, waits;

  assign letters = s_axis.tuser.kind == Values;
  assign refused = s_axis.tvalid && letters && first_q && s_axis.tdata[7:0] == "!";
  assign waits = s_axis.tvalid && letters && first_q && s_axis.tdata[7:0] == "~" && left_q != '0;

  assign m_axis.header = s_axis.header;
  assign m_axis.tvalid = state_q == Pass ? s_axis.tvalid && !refused && !waits : state_q == Refuse;
  assign s_axis.tready = state_q == Pass ? m_axis.tready && !refused && !waits : state_q == Drain;

  always_comb begin
    m_axis.tdata = s_axis.tdata;
    m_axis.tkeep = s_axis.tkeep;
    m_axis.tuser = s_axis.tuser;
    m_axis.tlast = s_axis.tlast;
    for (int unsigned i = 0; i < 8; i++) begin
      if (letters && s_axis.tdata[8*i+:8] inside {["a":"z"]}) m_axis.tdata[8*i+:8] = s_axis.tdata[8*i+:8] - 8'h20;
    end
    if (state_q == Refuse) begin
      m_axis.tdata = 64'd16;
      m_axis.tkeep = 8'h01;
      m_axis.tuser = '{kind: Broken, field: '0};
      m_axis.tlast = 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Pass: if (refused) state_q <= Drain;
      Drain: if (s_axis.tvalid && s_axis.tlast) state_q <= Refuse;
      default: if (m_axis.tready) state_q <= Pass;
    endcase
    left_q <= waits ? left_q - 1'b1 : s_axis.tvalid && s_axis.tready ? 19'(Pause) : left_q;
    if (s_axis.tvalid && s_axis.tready) first_q <= s_axis.tlast || (first_q && !letters);
    if (rst_i) begin
      state_q <= Pass;
      first_q <= 1'b1;
      left_q <= 19'(Pause);
    end
  end
endmodule
