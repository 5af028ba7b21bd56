// SPDX-License-Identifier: Apache-2.0
//
// lig_uart_host: a serial line (8 bits, no parity, 1 stop bit) by which a host reads and writes a board's registers and
// memory, 64 bits at a time. For boards without a processor; spec/device/board.md has the words.
//
//   'R', 4 bytes of address            ->  status, 8 bytes
//   'W', 4 bytes of address, 8 of data ->  status
//
// Low bytes first. Address bit 31: memory; else registers. Status 0: done; 1: refused. Any other first byte is ignored,
// so 13 zeros bring both sides back together.
//
//   latency              that of the line
//   storage              one word
module lig_uart_host #(
    parameter int unsigned CLOCKS_PER_BIT = 434  // 4..65535
) (
    input logic clk_i, rst_i,  // reset: synchronous, high

    input  logic rx_i,
    output logic tx_o,

    output logic        axil_awvalid_o,  // to lig_control
    input  logic        axil_awready_i,
    output logic [16:0] axil_address_o,
    output logic        axil_wvalid_o,
    output logic [63:0] axil_wdata_o,
    input  logic        axil_bvalid_i,
    input  logic [1:0]  axil_bresp_i,
    output logic        axil_arvalid_o,
    input  logic        axil_arready_i,
    input  logic        axil_rvalid_i,
    input  logic [63:0] axil_rdata_i,
    input  logic [1:0]  axil_rresp_i,

    output logic        memory_valid_o,  // to lig_axi_ram
    input  logic        memory_ready_i,
    output logic        memory_write_o,
    output logic [30:0] memory_address_o,
    output logic [63:0] memory_data_o,
    input  logic [63:0] memory_data_i,
    input  logic        memory_error_i
);
  if (CLOCKS_PER_BIT < 4 || CLOCKS_PER_BIT > 65535) begin : g_rule_clocks_per_bit
    $fatal(1, "lig_uart_host: rule clocks_per_bit: CLOCKS_PER_BIT = %0d, 4..65535 is needed", CLOCKS_PER_BIT);
  end

  // --- the line: bytes in -----------------------------------------------------------------------------------

  // Two registers: the line has no clock of ours.
  logic [1:0] rx_q;
  logic [15:0] rx_wait_q;
  logic [3:0] rx_bit_q;  // 0: idle; 1: start bit; 2..9: data; 10: stop bit
  logic [7:0] rx_byte_q;
  logic rx_valid_q;
  always_ff @(posedge clk_i) begin
    rx_q <= {rx_q[0], rx_i};
    rx_valid_q <= 1'b0;
    rx_wait_q <= rx_wait_q - 1'b1;
    if (rx_bit_q == '0) begin
      rx_wait_q <= 16'(CLOCKS_PER_BIT / 2 - 1);  // the middle of the start bit
      if (!rx_q[1]) rx_bit_q <= 4'd1;
    end else if (rx_wait_q == '0) begin
      rx_wait_q <= 16'(CLOCKS_PER_BIT - 1);
      rx_bit_q <= rx_bit_q + 1'b1;
      if (rx_bit_q == 4'd1 && rx_q[1]) rx_bit_q <= '0;  // a glitch
      if (rx_bit_q >= 4'd2 && rx_bit_q <= 4'd9) rx_byte_q <= {rx_q[1], rx_byte_q[7:1]};
      if (rx_bit_q == 4'd10) begin
        rx_bit_q <= '0;
        rx_valid_q <= rx_q[1];  // without a stop bit it is no byte
      end
    end
    if (rst_i) begin
      rx_q <= '1;
      rx_bit_q <= '0;
      rx_valid_q <= 1'b0;
    end
  end

  // --- the line: bytes out ----------------------------------------------------------------------------------

  logic tx_start, tx_busy;
  logic [7:0] tx_byte;
  logic [15:0] tx_wait_q;
  logic [3:0] tx_left_q;
  logic [9:0] tx_bits_q;
  assign tx_busy = tx_left_q != '0;
  assign tx_o = !tx_busy || tx_bits_q[0];
  always_ff @(posedge clk_i) begin
    tx_wait_q <= tx_wait_q - 1'b1;
    if (tx_start) begin
      tx_bits_q <= {1'b1, tx_byte, 1'b0};
      tx_left_q <= 4'd10;
      tx_wait_q <= 16'(CLOCKS_PER_BIT - 1);
    end else if (tx_busy && tx_wait_q == '0) begin
      tx_bits_q <= {1'b1, tx_bits_q[9:1]};
      tx_left_q <= tx_left_q - 1'b1;
      tx_wait_q <= 16'(CLOCKS_PER_BIT - 1);
    end
    if (rst_i) tx_left_q <= '0;
  end

  // --- commands ---------------------------------------------------------------------------------------------

  typedef enum logic [2:0] {Command, Address, Data, Ask, Answer, Reply} state_e;
  state_e state_q;
  logic write_q, refused_q, asked_q;
  logic [3:0] count_q;
  logic [31:0] address_q;
  logic [63:0] data_q;
  logic memory, registers, done, refused;
  logic [63:0] read;
  assign memory = address_q[31];
  assign registers = address_q[31:17] == '0;  // elsewhere is nothing
  assign axil_address_o = address_q[16:0];
  assign axil_wdata_o = data_q;
  assign axil_awvalid_o = state_q == Ask && registers && write_q && !asked_q;
  assign axil_wvalid_o = axil_awvalid_o;
  assign axil_arvalid_o = state_q == Ask && registers && !write_q && !asked_q;
  assign memory_valid_o = state_q == Ask && memory;
  assign memory_write_o = write_q;
  assign memory_address_o = {address_q[30:3], 3'd0};
  assign memory_data_o = data_q;
  always_comb begin
    done = 1'b1;
    refused = 1'b1;
    read = axil_rdata_i;
    if (memory) begin
      done = memory_ready_i;
      refused = memory_error_i;
      read = memory_data_i;
    end else if (registers) begin
      done = write_q ? axil_bvalid_i : axil_rvalid_i;
      refused = write_q ? axil_bresp_i != '0 : axil_rresp_i != '0;
    end
  end

  assign tx_start = state_q == Reply && !tx_busy;
  assign tx_byte = count_q == '0 ? {7'd0, refused_q} : data_q[7:0];
  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Command: begin
        count_q <= '0;
        write_q <= rx_byte_q == "W";
        if (rx_valid_q && (rx_byte_q == "W" || rx_byte_q == "R")) state_q <= Address;
      end
      Address: if (rx_valid_q) begin
        address_q <= {rx_byte_q, address_q[31:8]};
        count_q <= count_q == 4'd3 ? '0 : count_q + 1'b1;
        if (count_q == 4'd3) state_q <= write_q ? Data : Ask;
      end
      Data: if (rx_valid_q) begin
        data_q <= {rx_byte_q, data_q[63:8]};
        count_q <= count_q == 4'd7 ? '0 : count_q + 1'b1;
        if (count_q == 4'd7) state_q <= Ask;
      end
      Ask: begin
        if (write_q ? axil_awready_i : axil_arready_i) asked_q <= 1'b1;
        if (done) state_q <= Answer;
        refused_q <= refused;
        if (done && !write_q) data_q <= read;
      end
      Answer: begin
        asked_q <= 1'b0;
        count_q <= '0;
        state_q <= Reply;
      end
      default: if (tx_start) begin
        count_q <= count_q + 1'b1;
        if (count_q != '0) data_q <= {8'd0, data_q[63:8]};
        if (count_q == (write_q ? 4'd0 : 4'd8)) state_q <= Command;
      end
    endcase
    if (rst_i) begin
      state_q <= Command;
      asked_q <= 1'b0;
    end
  end
endmodule
