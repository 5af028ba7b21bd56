// SPDX-License-Identifier: Apache-2.0
//
// lig_smt_sub: a message in memory becomes a frame on a stream. The subscribing end of a software-mapped topic,
// and the way of a gateway from software to hardware.
//
// Software says where a message lies and what its header is (send_t); the body is read by bursts straight from
// the block. Each send is answered by exactly one event, in order, when nothing of it is on its way any more:
// then the block may be let go. While recall_i is high, what is sent is answered Recalled and not read.
//
// The header leaves when the first beat of the body is there, so that a topic is not held while memory makes up
// its mind. A message that breaks on its way (error, or nothing for TIMEOUT cycles) ends as a frame that is
// shorter than its header says, or longer where all of it is out already: receivers know it by that.
//
//   latency              2 cycles to the request, 3 from memory's first beat to the header
//   initiation interval  1 within a frame, 2 idle cycles between two
//   storage              DEPTH + 1 beats, QUEUE sends
module lig_smt_sub
  import lig_stream_pkg::*;
  import lig_transfer_pkg::*;
#(
    parameter int unsigned DATA_WIDTH = 64,   // bits: 64, 128, 256, 512
    parameter int unsigned BURST_BEATS = 16,  // see lig_axi_read
    parameter int unsigned DEPTH = 256,       // beats, see lig_axi_read
    parameter int unsigned OUTSTANDING = 16,  // bursts
    parameter int unsigned QUEUE = 4,         // sends being worked on; a power of two, 2 or more
    parameter int unsigned TIMEOUT = 0,       // cycles without data until a message is given up; 0: never
    parameter bit FILTER = 1'b0               // answer Loop to messages of publishers in hardware
) (
    input logic clk_i, rst_i,  // reset: synchronous, high
    input logic recall_i,

    input logic send_valid_i, output logic send_ready_o, input send_t send_i,

    output logic event_valid_o, input logic event_ready_i, output event_t event_o,

    output logic late_o,  // a message was given up, and memory still owes data of it

    lig_axis_if.transmitter m_axis,

    lig_axi_if.read_manager m_axi
);
  // Widths, bursts and DEPTH: rules of lig_axi_read.
  if (QUEUE < 2 || QUEUE > 65536 || (QUEUE & (QUEUE - 1)) != 0) begin : g_rule_queue
    $fatal(1, "lig_smt_sub: rule queue: QUEUE = %0d, a power of two in 2..65536 is needed", QUEUE);
  end

  localparam int unsigned Lanes = DATA_WIDTH / 8;
  localparam int unsigned T = $clog2(Lanes);

  function automatic logic [31:0] beats_of(input logic [31:0] length, input logic [5:0] pad);
    return 32'((33'(length) + 33'(pad) + 33'(Lanes - 1)) >> T);
  endfunction

  // --- what is asked for ----------------------------------------------------------------------------------

  status_e verdict;
  always_comb begin
    verdict = Done;
    if (send_i.header.length == '0 || &send_i.header.length[31:6] || send_i.address[5:0] != '0) verdict = Malformed;
    if (FILTER && send_i.header.publisher < SoftwarePublisher) verdict = Loop;
    if (recall_i) verdict = Recalled;
  end

  logic read_ready, entry_ready, accept;
  assign send_ready_o = entry_ready && read_ready;
  assign accept = send_valid_i && send_ready_o;

  event_t entry;
  logic clk, entry_valid, entry_pop;
  logic [$clog2(QUEUE):0] entry_level;
  lig_queue #(.WIDTH($bits(event_t)), .DEPTH(QUEUE)) entries (
      .clk_i(clk), .rst_i,
      .valid_i(accept), .ready_o(entry_ready), .data_i({verdict, send_i.tag, send_i.header}),
      .valid_o(entry_valid), .ready_i(entry_pop), .data_o(entry), .level_o(entry_level));

  logic data_valid, data_ready, data_error, reads;
  logic [DATA_WIDTH-1:0] data;
  lig_axi_read #(
      .DATA_WIDTH(DATA_WIDTH), .BURST_BEATS(BURST_BEATS), .DEPTH(DEPTH), .OUTSTANDING(OUTSTANDING)) reader (
      .clk_i(clk), .rst_i,
      .command_valid_i(accept && verdict == Done), .command_ready_o(read_ready),
      .command_address_i(send_i.address), .command_beats_i(beats_of(send_i.header.length, send_i.header.pad)),
      .valid_o(data_valid), .ready_i(data_ready), .data_o(data), .error_o(data_error), .moves_o(reads),
      .m_axi);

  // --- what is sent ---------------------------------------------------------------------------------------

  typedef enum logic [2:0] {
    Idle,
    Head,   // the header, one beat or two
    Body,
    Break,  // a beat that ends a broken frame, or is one too many
    Drain,  // what memory still owes
    Tell
  } state_e;
  state_e state_q;
  logic half_q;  // 64 bits: the second beat of the header
  logic [31:0] left_q;
  status_e status_q;
  logic [31:0] idle_q;  // cycles without data
  // Only the last beat never came: one lane in its place could be all that the header says. The frame gets a whole
  // beat and one more.
  logic twice_q;
  logic final_beat, moves;
  assign final_beat = left_q == 32'd1;
  assign moves = m_axis.tvalid && m_axis.tready;

  // Lanes of the last beat: 0..tail.
  logic [T-1:0] tail;
  logic [Lanes-1:0] tail_keep;
  assign tail = T'(entry.header.length) + T'(entry.header.pad) - 1'b1;
  assign tail_keep = ~((~Lanes'(1)) << tail);

  logic [DATA_WIDTH-1:0] head_data;
  if (DATA_WIDTH == 64) begin : g_head_narrow
    assign head_data = half_q ? entry.header[127:64] : entry.header[63:0];
  end else begin : g_head_wide
    assign head_data = DATA_WIDTH'(entry.header);
  end

  always_comb begin
    m_axis.tvalid = 1'b0;
    m_axis.tdata = data;
    m_axis.tkeep = '1;
    m_axis.tlast = 1'b0;
    unique case (state_q)
      Head: begin
        m_axis.tvalid = 1'b1;
        m_axis.tdata = head_data;
      end
      Body: begin
        m_axis.tvalid = data_valid;
        m_axis.tlast = data_error != final_beat;
        if (m_axis.tlast) m_axis.tkeep = data_error ? Lanes'(1) : tail_keep;
      end
      Break: begin
        m_axis.tvalid = 1'b1;
        m_axis.tdata = '0;
        m_axis.tkeep = twice_q ? '1 : Lanes'(1);
        m_axis.tlast = !twice_q;
      end
      default: ;
    endcase
  end

  assign data_ready = (state_q == Body && m_axis.tready) || (state_q == Drain && left_q != '0);
  assign event_valid_o = state_q == Tell;
  assign event_o = {status_q, entry.tag, entry.header};
  assign entry_pop = state_q == Tell && event_ready_i;
  assign late_o = status_q == Late && (state_q == Break || state_q == Drain);

  // Amidst a body nothing changes between its beats, and nothing without a message.
  logic rests, wakes;
  assign rests = state_q == Idle ? !entry_valid : TIMEOUT == 0 && state_q == Body && !moves;
  assign wakes = !rests || send_valid_i || reads || (entry_level != '0 && !entry_valid);
  lig_gate gate (.clk_i, .rst_i, .wake_i(wakes), .clk_o(clk));

  always_ff @(posedge clk) begin
    unique case (state_q)
      Idle: begin
        half_q <= 1'b0;
        idle_q <= '0;
        twice_q <= 1'b0;
        status_q <= entry.status;
        left_q <= beats_of(entry.header.length, entry.header.pad);
        if (entry_valid) begin
          if (entry.status != Done) state_q <= Tell;
          else if (data_valid) state_q <= Head;
          else begin
            // Nothing of the frame is out: it needs no end.
            idle_q <= TIMEOUT == 0 ? '0 : idle_q + 1'b1;
            if (TIMEOUT != 0 && idle_q >= TIMEOUT) begin
              status_q <= Late;
              state_q <= Drain;
            end
          end
        end
      end
      Head: if (moves) begin
        half_q <= 1'b1;
        if (DATA_WIDTH != 64 || half_q) state_q <= Body;
      end
      Body: begin
        idle_q <= TIMEOUT == 0 || data_valid ? '0 : idle_q + 1'b1;
        if (moves) begin
          left_q <= left_q - 1'b1;
          if (data_error) begin
            status_q <= BusError;
            state_q <= final_beat ? Break : Drain;
          end else if (final_beat) begin
            state_q <= Tell;
          end
        end else if (!data_valid && TIMEOUT != 0 && idle_q >= TIMEOUT) begin
          status_q <= Late;
          twice_q <= final_beat;
          state_q <= Break;
        end
      end
      Break: if (moves) begin
        twice_q <= 1'b0;
        if (!twice_q) state_q <= Drain;
      end
      Drain: begin
        if (left_q == '0) state_q <= Tell;
        else if (data_valid) left_q <= left_q - 1'b1;
      end
      default: if (event_ready_i) state_q <= Idle;
    endcase
    if (rst_i) begin
      state_q <= Idle;
      idle_q <= '0;
    end
  end

`ifdef FORMAL
  initial state_q = Idle;
`endif
`ifdef LIG_RULES
  // What the gate needs. In Idle nobody looks at left_q.
  lig_rest_rules #(.WIDTH(64), .WHEN("the clock stands still")) rules_rest (
      .clk_i, .rst_i, .moves_i(wakes),
      .is_i(64'({state_q, state_q == Idle ? '0 : left_q, entry_valid, entry_level, event_valid_o, m_axis.tvalid})));
`endif
endmodule
