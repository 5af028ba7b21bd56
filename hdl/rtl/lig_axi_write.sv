// SPDX-License-Identifier: Apache-2.0
//
// lig_axi_write: writes a stream of beats to memory, several bursts in flight.
//
// A burst is announced when all of it lies in the queue. So it is as long as what is really there (a frame
// that ends early needs no filling up), and on a port that many share, the write channel is never held by a
// producer that stalls. A burst ends at a multiple of its own size, which keeps it within 4096 bytes.
// A piece is done when memory has answered all its bursts; the next may be on its way by then. While moves_o is
// low a clock changes nothing in here (lig_gate).
//
//   latency              4 cycles from a burst's last beat to its first at the port
//   initiation interval  1 within a piece, 1 idle cycle between two
//   storage              DEPTH + 1 beats, OUTSTANDING bursts
module lig_axi_write #(
    parameter int unsigned DATA_WIDTH = 64,    // bits: 64, 128, 256, 512
    parameter int unsigned BURST_BEATS = 16,   // a power of two, 1..256, 4096 bytes at most
    parameter int unsigned DEPTH = 256,        // beats; a power of two, at least two bursts
    parameter int unsigned OUTSTANDING = 16    // bursts in flight; a power of two, 2..256
) (
    input logic clk_i, rst_i,  // reset: synchronous, high; memory must be reset with it: what is on its way is forgotten

    input logic command_valid_i, output logic command_ready_o,
    input logic [63:0] command_address_i,  // a multiple of the beat

    input  logic                    valid_i,
    output logic                    ready_o,
    input  logic [DATA_WIDTH-1:0]   data_i,
    input  logic [DATA_WIDTH/8-1:0] strobe_i,
    input  logic                    last_i,  // of the piece

    output logic done_valid_o,  // once per piece, in order
    input  logic done_ready_i,
    output logic done_error_o,
    output logic moves_o,

    lig_axi_if.write_manager m_axi
);
  if (DATA_WIDTH != 64 && DATA_WIDTH != 128 && DATA_WIDTH != 256 && DATA_WIDTH != 512) begin : g_rule_data_width
    $fatal(1, "lig_axi_write: rule data_width: DATA_WIDTH = %0d, one of 64, 128, 256, 512 is needed", DATA_WIDTH);
  end
  if (BURST_BEATS < 1 || BURST_BEATS > 256 || (BURST_BEATS & (BURST_BEATS - 1)) != 0
      || BURST_BEATS * DATA_WIDTH > 8 * 4096) begin : g_rule_burst_beats
    $fatal(1, "lig_axi_write: rule burst_beats: BURST_BEATS = %0d, a power of two in 1..256, at most 4096 bytes, is needed",
           BURST_BEATS);
  end
  if (DEPTH < 2 * BURST_BEATS) begin : g_rule_depth
    $fatal(1, "lig_axi_write: rule depth: DEPTH = %0d, at least two bursts of BURST_BEATS = %0d are needed",
           DEPTH, BURST_BEATS);
  end
  if (OUTSTANDING < 2 || OUTSTANDING > 256 || (OUTSTANDING & (OUTSTANDING - 1)) != 0) begin : g_rule_outstanding
    $fatal(1, "lig_axi_write: rule outstanding: OUTSTANDING = %0d, a power of two in 2..256 is needed", OUTSTANDING);
  end

  localparam int unsigned Bytes = DATA_WIDTH / 8;
  localparam int unsigned O = $clog2(OUTSTANDING);

  // --- beats into bursts ----------------------------------------------------------------------------------

  logic open_q;  // a piece is being collected
  logic [63:0] address_q, start_q;
  logic [7:0] count_q;  // beats of the open burst

  logic data_ready, burst_ready, take, ends;
  assign ready_o = open_q && data_ready && burst_ready;
  assign take = valid_i && ready_o;
  assign ends = last_i || (32'(address_q >> $clog2(Bytes)) & (BURST_BEATS - 1)) == BURST_BEATS - 1;
  assign command_ready_o = !open_q;

  always_ff @(posedge clk_i) begin
    if (command_valid_i && command_ready_o) begin
      open_q <= 1'b1;
      address_q <= command_address_i;
      start_q <= command_address_i;
      count_q <= '0;
    end
    if (take) begin
      address_q <= address_q + 64'(Bytes);
      count_q <= ends ? '0 : count_q + 1'b1;
      if (ends) start_q <= address_q + 64'(Bytes);
      if (last_i) open_q <= 1'b0;
    end
    if (rst_i) open_q <= 1'b0;
  end

  logic data_valid, data_pop;
  logic [$clog2(DEPTH):0] data_level;
  lig_queue #(.WIDTH(1 + Bytes + DATA_WIDTH), .DEPTH(DEPTH)) data_queue (
      .clk_i, .rst_i, .valid_i(take), .ready_o(data_ready), .data_i({ends, strobe_i, data_i}),
      .valid_o(data_valid), .ready_i(data_pop), .data_o({m_axi.wlast, m_axi.wstrb, m_axi.wdata}), .level_o(data_level));

  logic burst_valid, burst_pop, burst_last;
  logic [O:0] burst_level;
  lig_queue #(.WIDTH(1 + 8 + 64), .DEPTH(OUTSTANDING)) burst_queue (
      .clk_i, .rst_i, .valid_i(take && ends), .ready_o(burst_ready), .data_i({last_i, count_q, start_q}),
      .valid_o(burst_valid), .ready_i(burst_pop), .data_o({burst_last, m_axi.awlen, m_axi.awaddr}),
      .level_o(burst_level));

  // --- the port -------------------------------------------------------------------------------------------

  logic [O:0] in_flight_q;  // bursts announced and not answered
  logic [O:0] announced_q;  // bursts announced whose data are not out
  logic announce, ended, answer;
  assign m_axi.awid = '0;
  assign m_axi.awvalid = burst_valid && !in_flight_q[O];
  assign announce = m_axi.awvalid && m_axi.awready;
  assign burst_pop = m_axi.awready && !in_flight_q[O];

  assign m_axi.wvalid = data_valid && announced_q != '0;
  assign data_pop = m_axi.wready && announced_q != '0;
  assign ended = m_axi.wvalid && m_axi.wready && m_axi.wlast;

  // Which burst in flight is the last of its piece. Answers come in the order of the bursts: one id.
  logic last_q[1<<O];
  logic [O-1:0] tail_q, head_q;
  logic done_valid_q, done_error_q, error_q;
  assign m_axi.bready = !done_valid_q || done_ready_i;
  assign answer = m_axi.bvalid && m_axi.bready;
  assign done_valid_o = done_valid_q;
  assign done_error_o = done_error_q;

  assign moves_o = (command_valid_i && command_ready_o) || take || announce || (m_axi.wvalid && m_axi.wready) || answer
      || (done_valid_q && done_ready_i) || (data_level != '0 && !data_valid) || (burst_level != '0 && !burst_valid);

  always_ff @(posedge clk_i) begin
    if (announce) last_q[tail_q] <= burst_last;
  end

  always_ff @(posedge clk_i) begin
    in_flight_q <= in_flight_q + (O + 1)'(announce) - (O + 1)'(answer);
    announced_q <= announced_q + (O + 1)'(announce) - (O + 1)'(ended);
    if (announce) tail_q <= tail_q + 1'b1;
    if (done_ready_i) done_valid_q <= 1'b0;
    if (answer) begin
      head_q <= head_q + 1'b1;
      error_q <= !last_q[head_q] && (error_q || m_axi.bresp != '0);
      if (last_q[head_q]) begin
        done_valid_q <= 1'b1;
        done_error_q <= error_q || m_axi.bresp != '0;
      end
    end
    if (rst_i) begin
      in_flight_q <= '0;
      announced_q <= '0;
      tail_q <= '0;
      head_q <= '0;
      done_valid_q <= 1'b0;
      error_q <= 1'b0;
    end
  end

`ifdef FORMAL
  initial open_q = 1'b0;
  initial in_flight_q = '0;
  initial announced_q = '0;
  initial tail_q = '0;
  initial head_q = '0;
  initial done_valid_q = 1'b0;
  initial error_q = 1'b0;
`endif
`ifdef LIG_RULES
  always_ff @(posedge clk_i) begin
    if (!rst_i && m_axi.bvalid && in_flight_q == '0) $fatal(1, "%m: rule asked: an answer to no burst");
  end
  lig_rest_rules #(.WIDTH(128)) rules_rest (
      .clk_i, .rst_i, .moves_i(moves_o),
      .is_i(128'({open_q, address_q, count_q, in_flight_q, announced_q, done_valid_q, data_valid, data_level,
                  burst_valid, burst_level})));
`endif
endmodule
