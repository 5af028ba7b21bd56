// SPDX-License-Identifier: Apache-2.0
//
// lig_topic_mixed with each of its streams in a scope of its own, s[i] and m[i], as wide as the port is. Ports
// that cross have other_clk_i.
// verilator lint_off UNDRIVEN
// verilator lint_off UNUSEDSIGNAL
// The far ends of the streams are driven and read by the bench.
module lig_topic_mixed_tb #(
    parameter int unsigned DATA_WIDTH = 64,
    parameter int unsigned PUBLISHERS = 2,
    parameter int unsigned SUBSCRIBERS = 3,
    parameter bit [PUBLISHERS-1:0][31:0] S_WIDTH = {PUBLISHERS{32'd64}},
    parameter bit [SUBSCRIBERS-1:0][31:0] M_WIDTH = {SUBSCRIBERS{32'd64}},
    parameter bit [PUBLISHERS-1:0] S_CROSS = '0,
    parameter bit [SUBSCRIBERS-1:0] M_CROSS = '0,
    parameter int unsigned CROSS_DEPTH = 16,
    parameter int unsigned SYNC_STAGES = 2,
    parameter bit [SUBSCRIBERS-1:0][1:0] QOS = '0,
    parameter bit [31:0] DEPTH = 64
) (
    input logic clk_i,
    input logic rst_i,
    input logic other_clk_i,
    input logic other_rst_i,
    output logic [31:0] frames_o, beats_o, stalls_o, gaps_o,
    output logic [SUBSCRIBERS-1:0][31:0] drops_o, peaks_o
);
  localparam int unsigned Widest = 512;
  lig_axis_if #(.DATA_WIDTH(Widest)) wide_s[PUBLISHERS] (), wide_m[SUBSCRIBERS] ();

  for (genvar i = 0; i < PUBLISHERS; i++) begin : s
    localparam int unsigned Width = S_WIDTH[i];
    lig_axis_if #(.DATA_WIDTH(Width)) s_axis ();
    assign wide_s[i].tvalid = s_axis.tvalid;
    // What is not of the port is no zero: nobody may look at it.
    assign wide_s[i].tdata = Widest'({{Widest{1'b1}}, s_axis.tdata});
    assign wide_s[i].tkeep = (Widest / 8)'({{(Widest / 8) {1'b1}}, s_axis.tkeep});
    assign wide_s[i].tlast = s_axis.tlast;
    assign s_axis.tready = wide_s[i].tready;
  end

  for (genvar i = 0; i < SUBSCRIBERS; i++) begin : m
    localparam int unsigned Width = M_WIDTH[i];
    lig_axis_if #(.DATA_WIDTH(Width)) m_axis ();
    assign {m_axis.tvalid, m_axis.tlast} = {wide_m[i].tvalid, wide_m[i].tlast};
    assign m_axis.tdata = wide_m[i].tdata[Width-1:0];
    assign m_axis.tkeep = wide_m[i].tkeep[Width/8-1:0];
    assign wide_m[i].tready = m_axis.tready;
  end

  lig_topic_mixed #(
      .DATA_WIDTH(DATA_WIDTH), .PORT_WIDTH(Widest), .PUBLISHERS(PUBLISHERS), .SUBSCRIBERS(SUBSCRIBERS),
      .S_WIDTH(S_WIDTH), .M_WIDTH(M_WIDTH), .S_CROSS(S_CROSS), .M_CROSS(M_CROSS), .CROSS_DEPTH(CROSS_DEPTH),
      .SYNC_STAGES(SYNC_STAGES), .QOS(QOS), .DEPTH({SUBSCRIBERS{DEPTH}})) dut (
      .clk_i, .rst_i,
      .s_clk_i({PUBLISHERS{other_clk_i}}), .s_rst_i({PUBLISHERS{other_rst_i}}), .s_axis(wide_s),
      .m_clk_i({SUBSCRIBERS{other_clk_i}}), .m_rst_i({SUBSCRIBERS{other_rst_i}}), .m_axis(wide_m),
      .drops_o, .frames_o, .beats_o, .stalls_o, .gaps_o, .peaks_o);
endmodule
