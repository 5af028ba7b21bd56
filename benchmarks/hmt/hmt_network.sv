// SPDX-License-Identifier: Apache-2.0
//
// hmt_network: lig_topic with flat ports, for what is driven from C++ or synthesised alone.
module hmt_network #(
    parameter int unsigned DATA_WIDTH = 64,
    parameter int unsigned PUBLISHERS = 1,
    parameter int unsigned SUBSCRIBERS = 1,
    parameter bit [SUBSCRIBERS-1:0][1:0] QOS = '0,
    parameter bit [SUBSCRIBERS-1:0][31:0] DEPTH = {SUBSCRIBERS{32'd512}}
) (
    input logic clk_i, rst_i,

    input logic [PUBLISHERS-1:0] s_axis_tvalid, s_axis_tlast, output logic [PUBLISHERS-1:0] s_axis_tready,
    input logic [PUBLISHERS-1:0][DATA_WIDTH-1:0] s_axis_tdata,
    input logic [PUBLISHERS-1:0][DATA_WIDTH/8-1:0] s_axis_tkeep,

    output logic [SUBSCRIBERS-1:0] m_axis_tvalid, m_axis_tlast, input logic [SUBSCRIBERS-1:0] m_axis_tready,
    output logic [SUBSCRIBERS-1:0][DATA_WIDTH-1:0] m_axis_tdata,
    output logic [SUBSCRIBERS-1:0][DATA_WIDTH/8-1:0] m_axis_tkeep,

    output logic [SUBSCRIBERS-1:0][31:0] drops_o  // so that synthesis keeps what counts them
);
  lig_axis_if #(.DATA_WIDTH(DATA_WIDTH)) s_axis[PUBLISHERS] (), m_axis[SUBSCRIBERS] ();
  for (genvar i = 0; i < PUBLISHERS; i++) begin : g_publisher
    assign {s_axis[i].tvalid, s_axis[i].tdata, s_axis[i].tkeep, s_axis[i].tlast} = {
        s_axis_tvalid[i], s_axis_tdata[i], s_axis_tkeep[i], s_axis_tlast[i]};
    assign s_axis_tready[i] = s_axis[i].tready;
  end
  for (genvar i = 0; i < SUBSCRIBERS; i++) begin : g_subscriber
    assign {m_axis_tvalid[i], m_axis_tdata[i], m_axis_tkeep[i], m_axis_tlast[i]} = {
        m_axis[i].tvalid, m_axis[i].tdata, m_axis[i].tkeep, m_axis[i].tlast};
    assign m_axis[i].tready = m_axis_tready[i];
  end

  logic [SUBSCRIBERS-1:0][31:0] unused_peaks;
  logic [31:0] unused_frames, unused_beats, unused_stalls, unused_gaps;
  lig_topic #(
      .DATA_WIDTH(DATA_WIDTH), .PUBLISHERS(PUBLISHERS), .SUBSCRIBERS(SUBSCRIBERS), .QOS(QOS), .DEPTH(DEPTH),
      .STATS(0)) topic (
      .clk_i, .rst_i, .s_axis, .m_axis,
      .drops_o, .frames_o(unused_frames), .beats_o(unused_beats), .stalls_o(unused_stalls),
      .gaps_o(unused_gaps), .peaks_o(unused_peaks));
endmodule
