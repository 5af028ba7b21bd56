// SPDX-License-Identifier: Apache-2.0
//
// lig_shell: registers by which software and gateways (or ends in memory) talk: words with a doorbell one way,
// events with an interrupt the other way, and counters. AXI4-Lite, 64 bits. spec/device/gateway.md has the map.
//
// A word is staged in registers and goes out with the write that rings its doorbell, into a queue of its end. A
// doorbell that finds the queue full changes nothing and is answered with an error, and a bit of the end's state
// stays until control is written: posted writes lose their answers. The staging registers are shared: one thread
// writes them, as one delegate serves a design. Reading an event's last register takes the event, so these addresses
// are for uncached, in-order accesses.
//
// Where the memory port goes through a table of pages (lig_axi_pages), its entries are written here, each with one
// access.
//
//   latency              1 cycle to an answer; 3 from a doorbell to the word
//   initiation interval  2 cycles per access and direction
//   storage              QUEUE words of each kind per end
module lig_shell
  import lig_transfer_pkg::*;
#(
    parameter int unsigned ENDS = 1,  // 1..64
    parameter int unsigned QUEUE = 4,  // words waiting per end and kind; a power of two, 2 or more
    parameter bit PAGES = 1'b0         // there is a table of pages: else it has no registers
) (
    input logic clk_i, rst_i,  // reset: synchronous, high

    lig_axil_if.subordinate s_axil,

    output logic irq_o,  // an event waits at an end that may interrupt

    output logic [ENDS-1:0]         send_valid_o,
    input  logic [ENDS-1:0]         send_ready_i,
    output send_t [ENDS-1:0]        send_o,
    output logic [ENDS-1:0]         room_valid_o,
    input  logic [ENDS-1:0]         room_ready_i,
    output room_t [ENDS-1:0]        room_o,
    input  logic [ENDS-1:0]         sent_valid_i,
    output logic [ENDS-1:0]         sent_ready_o,
    input  event_t [ENDS-1:0]       sent_i,
    input  logic [ENDS-1:0]         stored_valid_i,
    output logic [ENDS-1:0]         stored_ready_o,
    input  event_t [ENDS-1:0]       stored_i,
    output logic [ENDS-1:0]         recall_o,
    input  logic [ENDS-1:0]         late_i,
    input  logic [ENDS-1:0][31:0]   looped_i,
    input  logic [ENDS-1:0][31:0]   dropped_i,
    input  logic [47:0]             busy_i,    // of lig_port_stats
    input  logic [47:0]             reads_i,
    input  logic [47:0]             writes_i,

    output logic                    page_write_o,  // to and from lig_axi_pages
    output logic [15:0]             page_o,
    output logic [63:0]             page_entry_o,
    input  logic                    page_ready_i,
    input  logic [31:0]             refused_i,
    input  logic                    refused_write_i,
    input  logic [7:0]              refused_id_i,
    input  logic [63:0]             refused_address_i
);
  if (ENDS < 1 || ENDS > 64) begin : g_rule_ends
    $fatal(1, "lig_shell: rule ends: ENDS = %0d, 1..64 is needed", ENDS);
  end

  localparam logic [7:0] Global = 8'hFF;
  localparam logic [63:0] Version = 64'h0000_0001_4C49_4753;  // version, "SGIL"
  localparam int unsigned E = ENDS > 1 ? $clog2(ENDS) : 1;

  function automatic logic is_end(input logic [7:0] page);
    return 32'(page) < ENDS;
  endfunction

  // --- writes ---------------------------------------------------------------------------------------------

  logic [127:0] header_q;
  logic [63:0] address_q, room_address_q;
  logic [ENDS-1:0] interrupt_q, recall_q, send_lost_q, room_lost_q;
  logic [ENDS-1:0] send_ready, room_ready, send_push, room_push;
  logic bvalid_q, write, known;
  logic [1:0] bresp_q;
  logic [7:0] write_page, write_place;
  logic [E-1:0] write_end;
  assign {write_page, write_place} = s_axil.awaddr;
  assign write_end = E'(write_page);
  assign write = s_axil.awvalid && s_axil.wvalid && (!bvalid_q || s_axil.bready);
  assign s_axil.awready = write;
  assign s_axil.wready = write;
  assign s_axil.bvalid = bvalid_q;
  assign s_axil.bresp = bresp_q;

  logic right, table_right;  // a whole register of an end, or among those of the table
  logic [15:0] page_q;
  assign right = is_end(write_page) && s_axil.wstrb == 8'hFF;
  assign table_right = PAGES && write_page == Global && s_axil.wstrb == 8'hFF;
  assign page_write_o = write && table_right && write_place == 8'h38;
  assign page_o = page_q;
  assign page_entry_o = s_axil.wdata;
  always_comb begin
    known = right;
    send_push = '0;
    room_push = '0;
    unique case (write_place)
      8'h00, 8'h08, 8'h10, 8'h20, 8'h60: ;
      8'h18: begin
        send_push[write_end] = write && right && send_ready[write_end];
        known = right && send_ready[write_end];
      end
      8'h28: begin
        room_push[write_end] = write && right && room_ready[write_end];
        known = right && room_ready[write_end];
      end
      default: known = 1'b0;
    endcase
    if (table_right) known = write_place == 8'h30 || (write_place == 8'h38 && page_ready_i);
  end

  always_ff @(posedge clk_i) begin
    if (s_axil.bready) bvalid_q <= 1'b0;
    if (write) begin
      bvalid_q <= 1'b1;
      bresp_q <= known ? 2'b00 : 2'b10;
    end
    if (write && right) begin
      unique case (write_place)
        8'h00: header_q[63:0] <= s_axil.wdata;
        8'h08: header_q[127:64] <= s_axil.wdata;
        8'h10: address_q <= s_axil.wdata;
        8'h18: send_lost_q[write_end] <= send_lost_q[write_end] || !known;
        8'h20: room_address_q <= s_axil.wdata;
        8'h28: room_lost_q[write_end] <= room_lost_q[write_end] || !known;
        8'h60: begin
          recall_q[write_end] <= s_axil.wdata[0];
          interrupt_q[write_end] <= s_axil.wdata[1];
          send_lost_q[write_end] <= 1'b0;
          room_lost_q[write_end] <= 1'b0;
        end
        default: ;
      endcase
    end
    if (write && table_right && write_place == 8'h30) page_q <= s_axil.wdata[15:0];
    if (page_write_o && page_ready_i) page_q <= page_q + 1'b1;
    if (rst_i) begin
      bvalid_q <= 1'b0;
      page_q <= '0;
      recall_q <= '0;
      interrupt_q <= '0;
      send_lost_q <= '0;
      room_lost_q <= '0;
    end
  end
  assign recall_o = recall_q;

  send_t staged_send;
  room_t staged_room;
  assign staged_send = {s_axil.wdata[15:0], address_q, header_q};
  assign staged_room = {s_axil.wdata[15:0], s_axil.wdata[63:32], room_address_q};

  for (genvar i = 0; i < ENDS; i++) begin : g_end
    logic [$clog2(QUEUE):0] unused_sends, unused_rooms;
    lig_queue #(.WIDTH($bits(send_t)), .DEPTH(QUEUE)) sends (
        .clk_i, .rst_i, .valid_i(send_push[i]), .ready_o(send_ready[i]), .data_i(staged_send),
        .valid_o(send_valid_o[i]), .ready_i(send_ready_i[i]), .data_o(send_o[i]), .level_o(unused_sends));
    lig_queue #(.WIDTH($bits(room_t)), .DEPTH(QUEUE)) rooms (
        .clk_i, .rst_i, .valid_i(room_push[i]), .ready_o(room_ready[i]), .data_i(staged_room),
        .valid_o(room_valid_o[i]), .ready_i(room_ready_i[i]), .data_o(room_o[i]), .level_o(unused_rooms));
  end

  // --- reads ----------------------------------------------------------------------------------------------

  logic rvalid_q, read, found_q;
  logic [63:0] rdata_q;
  logic [7:0] read_page, read_place;
  logic [E-1:0] read_end;
  assign {read_page, read_place} = s_axil.araddr;
  assign read_end = E'(read_page);
  assign read = s_axil.arvalid && (!rvalid_q || s_axil.rready);
  assign s_axil.arready = read;
  assign s_axil.rvalid = rvalid_q;
  assign s_axil.rdata = rdata_q;
  assign s_axil.rresp = found_q ? 2'b00 : 2'b10;

  logic [7:0] place;
  assign place = is_end(read_page) ? read_place : 8'hFF;
  always_comb begin
    sent_ready_o = '0;
    stored_ready_o = '0;
    sent_ready_o[read_end] = read && place == 8'h40;
    stored_ready_o[read_end] = read && place == 8'h58;
  end

  // A function: simulators choose a value in the cycles that read one, and not whenever an event changes.
  function automatic logic [64:0] value_of(input event_t sent, input event_t stored);
    unique case (place)
      8'h30: return {1'b1, sent.header[63:0]};
      8'h38: return {1'b1, sent.header[127:64]};
      8'h40: return {1'b1, sent_valid_i[read_end] ? {1'b1, 39'd0, sent.status, sent.tag} : 64'd0};
      8'h48: return {1'b1, stored.header[63:0]};
      8'h50: return {1'b1, stored.header[127:64]};
      8'h58: return {1'b1, stored_valid_i[read_end] ? {1'b1, 39'd0, stored.status, stored.tag} : 64'd0};
      8'h60: return {1'b1, 62'd0, interrupt_q[read_end], recall_q[read_end]};
      8'h68: return {1'b1, 54'd0, room_ready[read_end], send_ready[read_end], 5'd0, room_lost_q[read_end],
                     send_lost_q[read_end], late_i[read_end]};
      8'h70: return {1'b1, dropped_i[read_end], looped_i[read_end]};
      default: return shared_value();
    endcase
  endfunction

  function automatic logic [64:0] shared_value();
    if (read_page != Global) return '0;
    unique case (read_place)
      8'h00: return {1'b1, Version};
      8'h08: return {1'b1, 64'(busy_i)};
      8'h10: return {1'b1, 64'(reads_i)};
      8'h18: return {1'b1, 64'(writes_i)};
      8'h20: return {1'b1, 64'(sent_valid_i)};
      8'h28: return {1'b1, 64'(stored_valid_i)};
      8'h40: return {PAGES, 23'd0, refused_write_i, refused_id_i, refused_i};
      8'h48: return {PAGES, refused_address_i};
      default: return '0;
    endcase
  endfunction

  always_ff @(posedge clk_i) begin
    if (s_axil.rready) rvalid_q <= 1'b0;
    if (read) begin
      rvalid_q <= 1'b1;
      {found_q, rdata_q} <= value_of(sent_i[read_end], stored_i[read_end]);
    end
    irq_o <= |((sent_valid_i | stored_valid_i) & interrupt_q);
    if (rst_i) begin
      rvalid_q <= 1'b0;
      irq_o <= 1'b0;
    end
  end
endmodule
