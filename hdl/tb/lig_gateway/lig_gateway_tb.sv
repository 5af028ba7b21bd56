// SPDX-License-Identifier: Apache-2.0
//
// GATEWAYS gateways of topics 7, 8, ... on one memory port; each in a scope of its own, g[i], with its words as
// streams, as cocotbext-axi wants them.
// verilator lint_off UNDRIVEN
// verilator lint_off UNUSEDSIGNAL
// The far ends are driven and read by the bench.
module lig_gateway_tb
  import lig_transfer_pkg::*;
#(
    parameter int unsigned DATA_WIDTH = 64, BURST_BEATS = 16, DEPTH = 64, OUTSTANDING = 4,  // of each gateway
    parameter int unsigned GATEWAYS = 1, QUEUE = 4, TIMEOUT = 0,
    parameter int unsigned ID_WIDTH = GATEWAYS > 1 ? $clog2(GATEWAYS) : 1
) (
    input logic clk_i, rst_i, recall_i,
    output logic [47:0] busy_o, reads_o, writes_o
);
  localparam int unsigned G = GATEWAYS;
  lig_axi_if #(.DATA_WIDTH(DATA_WIDTH)) each[G] ();
  lig_axi_if #(.DATA_WIDTH(DATA_WIDTH), .ID_WIDTH(ID_WIDTH)) m_axi ();

  for (genvar i = 0; i < G; i++) begin : g
    logic send_tvalid, send_tready, sent_tvalid, sent_tready, room_tvalid, room_tready, stored_tvalid, stored_tready;
    logic [$bits(send_t)-1:0] send_tdata;
    logic [$bits(room_t)-1:0] room_tdata;
    logic [$bits(event_t)-1:0] sent_tdata, stored_tdata;
    logic late;
    logic [31:0] looped, dropped;
    lig_axis_if #(.DATA_WIDTH(DATA_WIDTH)) s_axis (), m_axis ();

    lig_gateway #(
        .DATA_WIDTH(DATA_WIDTH), .BURST_BEATS(BURST_BEATS), .DEPTH(DEPTH), .OUTSTANDING(OUTSTANDING),
        .QUEUE(QUEUE), .TIMEOUT(TIMEOUT)) dut (
        .clk_i, .rst_i, .recall_i, .topic_i(8'(7 + i)),
        .send_valid_i(send_tvalid), .send_ready_o(send_tready), .send_i(send_tdata),
        .sent_valid_o(sent_tvalid), .sent_ready_i(sent_tready), .sent_o(sent_tdata), .late_o(late),
        .m_axis, .s_axis,
        .room_valid_i(room_tvalid), .room_ready_o(room_tready), .room_i(room_tdata),
        .stored_valid_o(stored_tvalid), .stored_ready_i(stored_tready), .stored_o(stored_tdata),
        .looped_o(looped), .dropped_o(dropped),
        .m_axi_read(each[i]), .m_axi_write(each[i]));

    lig_axis_rules #(.DATA_WIDTH(DATA_WIDTH)) rules_m (
        .clk_i, .rst_i, .tvalid(m_axis.tvalid), .tready(m_axis.tready), .tdata(m_axis.tdata),
        .tkeep(m_axis.tkeep), .tlast(m_axis.tlast));
    lig_axis_rules #(.DATA_WIDTH($bits(event_t)), .KEEP_WIDTH(1), .WHOLE(0)) rules_sent (
        .clk_i, .rst_i, .tvalid(sent_tvalid), .tready(sent_tready), .tdata(sent_tdata), .tkeep(1'b1), .tlast(1'b1));
    lig_axis_rules #(.DATA_WIDTH($bits(event_t)), .KEEP_WIDTH(1), .WHOLE(0)) rules_stored (
        .clk_i, .rst_i, .tvalid(stored_tvalid), .tready(stored_tready), .tdata(stored_tdata), .tkeep(1'b1),
        .tlast(1'b1));
  end

  lig_axi_mux #(.DATA_WIDTH(DATA_WIDTH), .MASTERS(G), .PENDING(4)) port (
      .clk_i, .rst_i, .s_axi(each), .m_axi);

  lig_port_stats stats (.clk_i, .rst_i, .clear_i(1'b0), .axi(m_axi), .busy_o, .reads_o, .writes_o);
endmodule
