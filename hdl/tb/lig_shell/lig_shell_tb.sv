// SPDX-License-Identifier: Apache-2.0
//
// lig_shell with the ports of each end in a scope of its own, e[i], as streams of words for cocotbext-axi.
// verilator lint_off UNDRIVEN
// verilator lint_off UNUSEDSIGNAL
// The far ends are driven and read by the bench.
module lig_shell_tb
  import lig_transfer_pkg::*;
#(
    parameter int unsigned ENDS = 2,
    parameter int unsigned QUEUE = 2,
    parameter bit PAGES = 1'b1
) (
    input logic clk_i, rst_i, output logic irq_o,
    output logic [ENDS-1:0] recall_o, input logic [ENDS-1:0] late_i,
    output logic page_write_o, output logic [15:0] page_o, output logic [63:0] page_entry_o, input logic page_ready_i
);
  lig_axil_if s_axil ();
  logic [ENDS-1:0] send_valid, send_ready, room_valid, room_ready, sent_valid, sent_ready, stored_valid, stored_ready;
  send_t [ENDS-1:0] send_word;
  room_t [ENDS-1:0] room_word;
  event_t [ENDS-1:0] sent_word, stored_word;
  logic [ENDS-1:0][31:0] looped, dropped;

  for (genvar i = 0; i < ENDS; i++) begin : e
    logic send_tvalid, send_tready, room_tvalid, room_tready, sent_tvalid, sent_tready, stored_tvalid, stored_tready;
    logic [$bits(send_t)-1:0] send_tdata;
    logic [$bits(room_t)-1:0] room_tdata;
    logic [$bits(event_t)-1:0] sent_tdata, stored_tdata;
    assign send_tvalid = send_valid[i];
    assign send_tdata = send_word[i];
    assign send_ready[i] = send_tready;
    assign room_tvalid = room_valid[i];
    assign room_tdata = room_word[i];
    assign room_ready[i] = room_tready;
    assign sent_valid[i] = sent_tvalid;
    assign sent_word[i] = sent_tdata;
    assign sent_tready = sent_ready[i];
    assign stored_valid[i] = stored_tvalid;
    assign stored_word[i] = stored_tdata;
    assign stored_tready = stored_ready[i];
    assign looped[i] = 32'(100 + i);
    assign dropped[i] = 32'(200 + i);
  end

  lig_shell #(.ENDS(ENDS), .QUEUE(QUEUE), .PAGES(PAGES)) dut (
      .clk_i, .rst_i,
      .s_axil, .irq_o,
      .send_valid_o(send_valid), .send_ready_i(send_ready), .send_o(send_word),
      .room_valid_o(room_valid), .room_ready_i(room_ready), .room_o(room_word),
      .sent_valid_i(sent_valid), .sent_ready_o(sent_ready), .sent_i(sent_word),
      .stored_valid_i(stored_valid), .stored_ready_o(stored_ready), .stored_i(stored_word),
      .recall_o, .late_i, .looped_i(looped), .dropped_i(dropped),
      .busy_i(48'd1000), .reads_i(48'd900), .writes_i(48'd50),
      .page_write_o, .page_o, .page_entry_o, .page_ready_i,
      .refused_i(32'd7), .refused_write_i(1'b1), .refused_id_i(8'd5), .refused_address_i(64'h1234_5678_9ABC_D000));
endmodule
