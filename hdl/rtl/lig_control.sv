// SPDX-License-Identifier: Apache-2.0
//
// lig_control: the registers of a design on a board: who it is, settings and values, and the way to lig_shell.
// spec/device/board.md has the map. Flat ports: it is at the edge, in tops that are Verilog.
//
// Below 0x10000 an access goes on to the design, one at a time and direction, and its answer comes back. The design
// takes answers for granted (its bready and rready are constant); here they are kept until the bus takes them.
//
// On a bus of 32 bits a register is two words. The high word of a write and the low word of a read do the access, the
// other word is kept here: reading an event takes it, so a register is read once.
//
//   latency              2 cycles to an answer, and those of the design
//   initiation interval  3 cycles per access and direction
//   storage              SETTINGS registers
//
// Example: the generated board tops (ligament export).
module lig_control #(
    parameter logic [63:0] IDENTITY = '0,
    parameter int unsigned ENDS = 1,                        // of the design's lig_shell, to be told
    parameter int unsigned SETTINGS = 1,                    // 1..512
    parameter int unsigned VALUES = 1,                      // 1..512
    parameter logic [SETTINGS-1:0][63:0] INITIAL = '0,      // settings after a reset
    parameter int unsigned BUS_WIDTH = 64                   // 32 or 64
) (
    input logic clk_i, rst_i,  // reset: synchronous, high

    input  logic                   s_axil_awvalid,
    output logic                   s_axil_awready,
    input  logic [16:0]            s_axil_awaddr,
    input  logic                   s_axil_wvalid,
    output logic                   s_axil_wready,
    input  logic [BUS_WIDTH-1:0]   s_axil_wdata,
    input  logic [BUS_WIDTH/8-1:0] s_axil_wstrb,
    output logic                   s_axil_bvalid,
    input  logic                   s_axil_bready,
    output logic [1:0]             s_axil_bresp,
    input  logic                   s_axil_arvalid,
    output logic                   s_axil_arready,
    input  logic [16:0]            s_axil_araddr,
    output logic                   s_axil_rvalid,
    input  logic                   s_axil_rready,
    output logic [BUS_WIDTH-1:0]   s_axil_rdata,
    output logic [1:0]             s_axil_rresp,

    output logic        m_axil_awvalid,  // to the design, which answers each access once
    input  logic        m_axil_awready,
    output logic [15:0] m_axil_awaddr,
    output logic        m_axil_wvalid,
    input  logic        m_axil_wready,
    output logic [63:0] m_axil_wdata,
    input  logic        m_axil_bvalid,
    input  logic [1:0]  m_axil_bresp,
    output logic        m_axil_arvalid,
    input  logic        m_axil_arready,
    output logic [15:0] m_axil_araddr,
    input  logic        m_axil_rvalid,
    input  logic [63:0] m_axil_rdata,
    input  logic [1:0]  m_axil_rresp,

    output logic [SETTINGS-1:0][63:0] settings_o,
    input  logic [VALUES-1:0][63:0]   values_i
);
  if (BUS_WIDTH != 32 && BUS_WIDTH != 64) begin : g_rule_bus_width
    $fatal(1, "lig_control: rule bus_width: BUS_WIDTH = %0d, 32 or 64 is needed", BUS_WIDTH);
  end
  if (SETTINGS < 1 || SETTINGS > 512 || VALUES < 1 || VALUES > 512) begin : g_rule_registers
    $fatal(1, "lig_control: rule registers: SETTINGS = %0d, VALUES = %0d, 1..512 are needed", SETTINGS, VALUES);
  end

  localparam logic [63:0] Version = 64'h0000_0001_4C49_4742;  // version, "BGIL"
  localparam logic [63:0] Counts = {24'd0, 8'(ENDS), 16'(VALUES), 16'(SETTINGS)};
  localparam logic [1:0] Okay = 2'b00, Error = 2'b10;
  localparam int unsigned S = SETTINGS > 1 ? $clog2(SETTINGS) : 1;
  localparam int unsigned V = VALUES > 1 ? $clog2(VALUES) : 1;
  typedef enum logic [1:0] {Idle, Asked, Answered} state_e;

  // --- the two words of a register --------------------------------------------------------------------------

  logic write, write_does, write_whole, read, read_does, read_whole;
  logic [63:0] write_data;
  if (BUS_WIDTH == 64) begin : g_whole
    assign write_does = 1'b1;
    assign write_data = s_axil_wdata;
    assign write_whole = &s_axil_wstrb && s_axil_awaddr[2:0] == '0;
    assign read_does = 1'b1;
    assign read_whole = s_axil_araddr[2:0] == '0;
  end else begin : g_halves
    logic [31:0] low_q;
    assign write_does = s_axil_awaddr[2];
    assign write_data = {s_axil_wdata, low_q};
    assign write_whole = &s_axil_wstrb && s_axil_awaddr[1:0] == '0;
    assign read_does = !s_axil_araddr[2];
    assign read_whole = s_axil_araddr[1:0] == '0;
    always_ff @(posedge clk_i) begin
      if (write && write_whole && !write_does) low_q <= s_axil_wdata;
      if (rst_i) low_q <= '0;
    end
  end

  // --- writes -----------------------------------------------------------------------------------------------

  state_e write_q;
  logic address_q, data_q, own_write, setting;
  logic [1:0] bresp_q;
  logic [15:0] awaddr_q;
  logic [63:0] wdata_q;
  assign write = write_q == Idle && s_axil_awvalid && s_axil_wvalid;
  assign own_write = s_axil_awaddr[16];
  assign setting = s_axil_awaddr[15:12] == 4'h1 && 32'(s_axil_awaddr[11:3]) < SETTINGS;
  assign s_axil_awready = write;
  assign s_axil_wready = write;
  assign s_axil_bvalid = write_q == Answered;
  assign s_axil_bresp = bresp_q;
  assign m_axil_awvalid = write_q == Asked && address_q;
  assign m_axil_wvalid = write_q == Asked && data_q;
  assign m_axil_awaddr = awaddr_q;
  assign m_axil_wdata = wdata_q;

  always_ff @(posedge clk_i) begin
    unique case (write_q)
      Idle: if (write) begin
        awaddr_q <= {s_axil_awaddr[15:3], 3'd0};
        wdata_q <= write_data;
        {address_q, data_q} <= '1;
        write_q <= write_whole && write_does && !own_write ? Asked : Answered;
        bresp_q <= write_whole && (!write_does || setting) ? Okay : Error;
        if (write_whole && write_does && own_write && setting) settings_o[s_axil_awaddr[3+:S]] <= write_data;
      end
      Asked: begin
        if (m_axil_awready) address_q <= 1'b0;
        if (m_axil_wready) data_q <= 1'b0;
        if (m_axil_bvalid) begin
          bresp_q <= m_axil_bresp;
          write_q <= Answered;
        end
      end
      default: if (s_axil_bready) write_q <= Idle;
    endcase
    if (rst_i) begin
      write_q <= Idle;
      settings_o <= INITIAL;
    end
  end

  // --- reads ------------------------------------------------------------------------------------------------

  state_e read_q;
  logic asking_q;
  logic [15:0] araddr_q;
  logic [63:0] rdata_q;
  logic [1:0] rresp_q;
  assign read = read_q == Idle && s_axil_arvalid;
  assign s_axil_arready = read;
  assign s_axil_rvalid = read_q == Answered;
  assign s_axil_rresp = rresp_q;
  assign m_axil_arvalid = read_q == Asked && asking_q;
  assign m_axil_araddr = araddr_q;

  function automatic logic [64:0] own_value();
    unique case (s_axil_araddr[15:12])
      4'h0: unique case (s_axil_araddr[11:3])
        9'd0: return {1'b1, Version};
        9'd1: return {1'b1, IDENTITY};
        9'd2: return {1'b1, Counts};
        default: return '0;
      endcase
      4'h1: return 32'(s_axil_araddr[11:3]) < SETTINGS ? {1'b1, settings_o[s_axil_araddr[3+:S]]} : '0;
      4'h2: return 32'(s_axil_araddr[11:3]) < VALUES ? {1'b1, values_i[s_axil_araddr[3+:V]]} : '0;
      default: return '0;
    endcase
  endfunction

  logic found;
  logic [63:0] value;
  assign {found, value} = own_value();
  always_ff @(posedge clk_i) begin
    unique case (read_q)
      Idle: if (read) begin
        araddr_q <= {s_axil_araddr[15:3], 3'd0};
        asking_q <= 1'b1;
        read_q <= read_whole && read_does && !s_axil_araddr[16] ? Asked : Answered;
        if (read_whole && read_does) begin
          rdata_q <= value;
          rresp_q <= found ? Okay : Error;
        end else if (!read_whole) begin
          rresp_q <= Error;
        end
      end
      Asked: begin
        if (m_axil_arready) asking_q <= 1'b0;
        if (m_axil_rvalid) begin
          rdata_q <= m_axil_rdata;
          rresp_q <= m_axil_rresp;
          read_q <= Answered;
        end
      end
      default: if (s_axil_rready) read_q <= Idle;
    endcase
    if (rst_i) begin
      read_q <= Idle;
      rresp_q <= Error;  // no high half before the first register
      rdata_q <= '0;
    end
  end

  if (BUS_WIDTH == 64) begin : g_read_whole
    assign s_axil_rdata = rdata_q;
  end else begin : g_read_halves
    logic high_q;
    always_ff @(posedge clk_i) if (read) high_q <= s_axil_araddr[2];
    assign s_axil_rdata = high_q ? rdata_q[63:32] : rdata_q[31:0];
  end
endmodule
