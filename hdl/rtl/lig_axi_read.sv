// SPDX-License-Identifier: Apache-2.0
//
// lig_axi_read: reads a piece of memory as a stream of beats, several bursts in flight.
//
// A burst is asked for only when the queue has room for all of it, counting what is on its way. So rready is
// never low: on a memory port that many share, a slow consumer holds up its own data and nobody else's. A burst
// ends at a multiple of its own size, so that it never crosses the 4096 bytes that AXI4 forbids to cross.
// To run at full rate, DEPTH has to cover the memory's latency in cycles and one burst.
//
// The consumer counts beats: commands follow each other in the stream without a mark. error_o tells that memory
// answered a beat with an error. While moves_o is low a clock changes nothing in here (lig_gate).
//
//   latency              1 cycle to the request; 2 behind the beat that memory gives
//   initiation interval  1 within a command, 1 idle cycle between two
//   storage              DEPTH + 1 beats
module lig_axi_read #(
    parameter int unsigned DATA_WIDTH = 64,    // bits: 64, 128, 256, 512
    parameter int unsigned BURST_BEATS = 16,   // a power of two, 1..256, 4096 bytes at most
    parameter int unsigned DEPTH = 256,        // beats; a power of two, at least two bursts
    parameter int unsigned OUTSTANDING = 16    // bursts in flight, 1..256
) (
    input logic clk_i, rst_i,  // reset: synchronous, high; memory must be reset with it: what is on its way is forgotten

    input logic command_valid_i, output logic command_ready_o,
    input logic [63:0] command_address_i,  // a multiple of the beat
    input  logic [31:0] command_beats_i,    // 1 or more

    output logic                  valid_o,
    input  logic                  ready_i,
    output logic [DATA_WIDTH-1:0] data_o,
    output logic                  error_o,
    output logic                  moves_o,

    lig_axi_if.read_manager m_axi
);
  if (DATA_WIDTH != 64 && DATA_WIDTH != 128 && DATA_WIDTH != 256 && DATA_WIDTH != 512) begin : g_rule_data_width
    $fatal(1, "lig_axi_read: rule data_width: DATA_WIDTH = %0d, one of 64, 128, 256, 512 is needed", DATA_WIDTH);
  end
  if (BURST_BEATS < 1 || BURST_BEATS > 256 || (BURST_BEATS & (BURST_BEATS - 1)) != 0
      || BURST_BEATS * DATA_WIDTH > 8 * 4096) begin : g_rule_burst_beats
    $fatal(1, "lig_axi_read: rule burst_beats: BURST_BEATS = %0d, a power of two in 1..256, at most 4096 bytes, is needed",
           BURST_BEATS);
  end
  if (DEPTH < 2 * BURST_BEATS) begin : g_rule_depth
    $fatal(1, "lig_axi_read: rule depth: DEPTH = %0d, at least two bursts of BURST_BEATS = %0d are needed",
           DEPTH, BURST_BEATS);
  end
  if (OUTSTANDING < 1 || OUTSTANDING > 256) begin : g_rule_outstanding
    $fatal(1, "lig_axi_read: rule outstanding: OUTSTANDING = %0d, 1..256 is needed", OUTSTANDING);
  end

  localparam int unsigned BytesLog = $clog2(DATA_WIDTH / 8);
  localparam int unsigned B = $clog2(BURST_BEATS);
  localparam int unsigned P = BytesLog + B;  // bits of an address within a burst
  localparam int unsigned F = $clog2(DEPTH) + 1;

  // --- requests -------------------------------------------------------------------------------------------

  logic [63:0] address_q, araddr_q;
  logic [31:0] left_q;  // beats not asked for yet
  logic [7:0] arlen_q;
  logic arvalid_q;
  logic [F-1:0] free_q;      // beats of the queue that nobody is on the way to
  logic [8:0] in_flight_q;   // bursts

  // What the next burst asks for is a register: room, count and address all wait for it.
  logic [B:0] size_q, window, first_size, next_size;
  logic [31:0] next_left;
  logic issue, pop, ended;
  assign window = (B + 1)'(BURST_BEATS) - ((B + 1)'(command_address_i >> BytesLog) & (B + 1)'(BURST_BEATS - 1));
  assign first_size =
      command_beats_i[31:B] == '0 && command_beats_i[B:0] < window ? command_beats_i[B:0] : window;
  assign next_left = left_q - 32'(size_q);
  assign next_size = next_left[31:B] == '0 ? next_left[B:0] : (B + 1)'(BURST_BEATS);
  assign issue = left_q != '0 && 32'(free_q) >= 32'(size_q) && 32'(in_flight_q) < OUTSTANDING
      && (!arvalid_q || m_axi.arready);
  assign pop = valid_o && ready_i;
  assign ended = m_axi.rvalid && m_axi.rready && m_axi.rlast;

  assign command_ready_o = left_q == '0;
  assign m_axi.arvalid = arvalid_q;
  assign m_axi.arid = '0;
  assign m_axi.araddr = araddr_q;
  assign m_axi.arlen = arlen_q;

  always_ff @(posedge clk_i) begin
    if (command_valid_i && command_ready_o) begin
      address_q <= command_address_i;
      left_q <= command_beats_i;
      size_q <= first_size;
    end
    if (m_axi.arready) arvalid_q <= 1'b0;
    if (issue) begin
      arvalid_q <= 1'b1;
      araddr_q <= address_q;
      arlen_q <= 8'(size_q - 1'b1);
      // The next burst begins where bursts of this size begin, and behind the last there is none: no sum with the size.
      address_q <= {address_q[63:P] + 1'b1, P'(0)};
      left_q <= next_left;
      size_q <= next_size;
    end
    free_q <= free_q - (issue ? F'(size_q) : '0) + F'(pop);
    in_flight_q <= in_flight_q + 9'(issue) - 9'(ended);
    if (rst_i) begin
      left_q <= '0;
      arvalid_q <= 1'b0;
      free_q <= F'(DEPTH);
      in_flight_q <= '0;
    end
  end

  // --- data -----------------------------------------------------------------------------------------------

  logic [$clog2(DEPTH):0] level;
  lig_queue #(.WIDTH(1 + DATA_WIDTH), .DEPTH(DEPTH)) queue (
      .clk_i, .rst_i,
      .valid_i(m_axi.rvalid), .ready_o(m_axi.rready), .data_i({m_axi.rresp != '0, m_axi.rdata}),
      .valid_o, .ready_i, .data_o({error_o, data_o}), .level_o(level));

  assign moves_o = (command_valid_i && command_ready_o) || issue || (arvalid_q && m_axi.arready) || m_axi.rvalid || pop
      || (level != '0 && !valid_o);

`ifdef FORMAL
  initial left_q = '0;
  initial arvalid_q = 1'b0;
  initial free_q = F'(DEPTH);
  initial in_flight_q = '0;
`endif
`ifdef LIG_RULES
  // What was reserved is there: data never wait at the port.
  always_ff @(posedge clk_i) begin
    if (!rst_i && m_axi.rvalid && !m_axi.rready) $fatal(1, "%m: rule reserved: the queue has no room for a beat");
    if (!rst_i && m_axi.rvalid && in_flight_q == '0) $fatal(1, "%m: rule asked: a beat that nobody asked for");
  end
  lig_rest_rules #(.WIDTH(64)) rules_rest (
      .clk_i, .rst_i, .moves_i(moves_o),
      .is_i(64'({left_q, free_q, in_flight_q, arvalid_q, valid_o, level})));
`endif
endmodule
