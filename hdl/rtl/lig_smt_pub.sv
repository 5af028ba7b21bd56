// SPDX-License-Identifier: Apache-2.0
//
// lig_smt_pub: a frame on a stream becomes a message in memory. The publishing end of a software-mapped topic, and
// the way of a gateway from hardware to software.
//
// Software lends rooms (room_t): memory for one message each. A frame takes the oldest room, its body is written
// by bursts straight into it, and one event tells header and tag when memory has answered for every byte. A frame
// waits while there is no room. Each room is answered by exactly one event, in order of use: with a message, with
// the reason why there is none, or, while recall_i is high and no frame has taken it, with Recalled. Taking and
// recalling are decided by one register in one cycle, so there is nothing in between.
//
// Nothing is written beyond a room, nor beyond the length that the header announces, whatever the frame does. A
// frame that breaks its announcement costs its room's turn and is told as Malformed. Frames of other topics and
// kinds, frames without a body and, with FILTER, frames that came from software are dropped before they take a
// room, and counted.
//
//   latency              a burst, and 6 cycles, from a frame's last beat to its last beat at the port
//   initiation interval  1, and 1 idle cycle behind the header
//   storage              DEPTH + 1 beats, ROOMS rooms
module lig_smt_pub
  import lig_stream_pkg::*;
  import lig_transfer_pkg::*;
#(
    parameter int unsigned DATA_WIDTH = 64,   // bits: 64, 128, 256, 512
    parameter int unsigned BURST_BEATS = 16,  // see lig_axi_write
    parameter int unsigned DEPTH = 256,       // beats, see lig_axi_write
    parameter int unsigned OUTSTANDING = 16,  // bursts, see lig_axi_write
    parameter int unsigned ROOMS = 8,         // lent at a time, and told of at a time; a power of two, 2 or more
    parameter int unsigned TIMEOUT = 0,       // cycles without a beat until a frame is given up; 0: never
    parameter bit FILTER = 1'b0,              // drop frames of publishers in software
    parameter logic [1:0] KIND = KindMessage  // of the frames that are stored
) (
    input logic clk_i, rst_i,  // reset: synchronous, high
    input logic recall_i,
    input logic [7:0] topic_i,

    lig_axis_if.receiver s_axis,

    input logic room_valid_i, output logic room_ready_o, input room_t room_i,

    output logic event_valid_o, input logic event_ready_i, output event_t event_o,

    output logic [31:0] looped_o,   // frames dropped by FILTER; saturates
    output logic [31:0] dropped_o,  // frames of other topics or kinds, or without a body; saturates

    lig_axi_if.write_manager m_axi
);
  // Widths, bursts and DEPTH: rules of lig_axi_write.
  if (ROOMS < 2 || ROOMS > 65536 || (ROOMS & (ROOMS - 1)) != 0) begin : g_rule_rooms
    $fatal(1, "lig_smt_pub: rule rooms: ROOMS = %0d, a power of two in 2..65536 is needed", ROOMS);
  end

  localparam int unsigned Lanes = DATA_WIDTH / 8;
  localparam int unsigned T = $clog2(Lanes);

  // --- rooms ----------------------------------------------------------------------------------------------

  room_t room;
  logic clk, room_valid, room_pop;
  logic [$clog2(ROOMS):0] room_level;
  lig_queue #(.WIDTH($bits(room_t)), .DEPTH(ROOMS)) rooms (
      .clk_i(clk), .rst_i, .valid_i(room_valid_i), .ready_o(room_ready_o), .data_i(room_i),
      .valid_o(room_valid), .ready_i(room_pop), .data_o(room), .level_o(room_level));

  // --- frames ---------------------------------------------------------------------------------------------

  typedef enum logic [1:0] {
    Head,
    Choose,  // what becomes of the frame
    Body,
    Skip     // the rest of a frame
  } state_e;
  state_e state_q;
  logic half_q;  // 64 bits: the first beat of the header is here
  header_t header_q;
  logic [15:0] tag_q;
  logic [31:0] left_q, idle_q;

  header_t header_in;
  logic head_ends;  // this beat completes the header
  if (DATA_WIDTH == 64) begin : g_head_narrow
    assign header_in = {s_axis.tdata, header_q[63:0]};
    assign head_ends = half_q;
  end else begin : g_head_wide
    assign header_in = s_axis.tdata[127:0];
    assign head_ends = 1'b1;
    logic unused_half;
    assign unused_half = half_q;
  end

  logic mine, looped, fits;
  logic [32:0] extent;  // bytes from the boundary
  logic [31:0] beats;
  assign mine = header_q.kind == KIND && header_q.topic == topic_i && header_q.length != '0;
  assign looped = FILTER && header_q.publisher >= SoftwarePublisher;
  assign extent = 33'(header_q.length) + 33'(header_q.pad);
  assign fits = extent <= 33'(room.capacity) && room.address[5:0] == '0;
  assign beats = 32'((extent + 33'(Lanes - 1)) >> T);

  // Lanes of the last beat: 0..tail.
  logic [T-1:0] tail;
  logic [Lanes-1:0] tail_keep;
  assign tail = T'(extent) - 1'b1;
  assign tail_keep = ~((~Lanes'(1)) << tail);

  logic command_ready, write_valid, write_ready, write_last, note_ready, given_up, final_beat, enough;
  logic take;  // the frame takes a room
  assign take = state_q == Choose && mine && !looped && room_valid && !recall_i && note_ready && command_ready;
  assign final_beat = left_q == 32'd1;
  assign enough = final_beat || s_axis.tlast;
  assign given_up = TIMEOUT != 0 && idle_q >= TIMEOUT && !s_axis.tvalid;
  assign write_valid = state_q == Body && note_ready && (s_axis.tvalid || given_up);
  assign write_last = given_up || enough;

  always_comb begin
    unique case (state_q)
      Choose: s_axis.tready = 1'b0;
      Body: s_axis.tready = note_ready && write_ready;
      default: s_axis.tready = 1'b1;
    endcase
  end
  wire moves = s_axis.tvalid && s_axis.tready;
  wire ends = write_valid && write_ready && write_last;  // of what is written

  // --- what will be told ----------------------------------------------------------------------------------

  // One note per room: why it is over, and whether memory has to answer first.
  status_e note_status, note_body;
  logic note_valid, note_written, recall;
  logic [15:0] note_tag;
  assign recall = recall_i && room_valid && !ends && !take;
  always_comb begin
    note_body = Malformed;
    if (given_up) note_body = Late;
    else if (s_axis.tlast && final_beat && s_axis.tkeep == tail_keep) note_body = Done;
  end
  assign note_valid = note_ready && (ends || recall || (take && !fits));
  assign note_written = ends;
  assign note_status = ends ? note_body : recall ? Recalled : TooLong;
  assign note_tag = ends ? tag_q : room.tag;
  assign room_pop = take || (recall && note_ready);

  logic told_valid, told_pop, told_written, done_valid, done_error;
  event_t told;
  logic [$clog2(ROOMS):0] note_level;
  lig_queue #(.WIDTH(1 + $bits(event_t)), .DEPTH(ROOMS)) notes (
      .clk_i(clk), .rst_i, .valid_i(note_valid), .ready_o(note_ready),
      .data_i({note_written, note_status, note_tag, recall && !ends ? header_t'('0) : header_q}),
      .valid_o(told_valid), .ready_i(told_pop), .data_o({told_written, told}), .level_o(note_level));

  assign event_valid_o = told_valid && (!told_written || done_valid);
  assign told_pop = event_ready_i && (!told_written || done_valid);
  always_comb begin
    event_o = told;
    if (told_written && done_error) event_o.status = BusError;
  end

  logic writes;
  lig_axi_write #(
      .DATA_WIDTH(DATA_WIDTH), .BURST_BEATS(BURST_BEATS), .DEPTH(DEPTH), .OUTSTANDING(OUTSTANDING)) writer (
      .clk_i(clk), .rst_i,
      .command_valid_i(take && fits), .command_ready_o(command_ready), .command_address_i(room.address),
      .valid_i(write_valid), .ready_o(write_ready), .data_i(s_axis.tdata),
      .strobe_i(given_up ? '0 : final_beat ? s_axis.tkeep & tail_keep : s_axis.tkeep), .last_i(write_last),
      .done_valid_o(done_valid), .done_ready_i(event_ready_i && told_valid && told_written),
      .done_error_o(done_error), .moves_o(writes),
      .m_axi);

  function automatic logic [31:0] next(input logic [31:0] count, input logic step);
    return count + 32'(step && !(&count));
  endfunction

  // Nothing changes between the beats of a body, nor without a frame, where nothing is to be lent, recalled or told.
  logic rests, wakes;
  assign rests = !moves && (TIMEOUT == 0 || state_q != Body) && state_q != Choose && !recall_i;
  assign wakes = !rests || writes || room_valid_i || told_valid || (room_level != '0 && !room_valid) || note_level != '0;
  lig_gate gate (.clk_i, .rst_i, .wake_i(wakes), .clk_o(clk));

  always_ff @(posedge clk) begin
    idle_q <= TIMEOUT == 0 || state_q != Body || s_axis.tvalid ? '0 : idle_q + 32'(!(&idle_q));
    unique case (state_q)
      Head: if (moves) begin
        if (head_ends) header_q <= header_in;
        else header_q[63:0] <= s_axis.tdata[63:0];
        half_q <= !head_ends && !s_axis.tlast;
        // A frame that ends with its header, or in it, has no message.
        dropped_o <= next(dropped_o, s_axis.tlast);
        if (head_ends && !s_axis.tlast) state_q <= Choose;
      end
      Choose: begin
        left_q <= beats;
        tag_q <= room.tag;
        if (!mine || looped) begin
          state_q <= Skip;
          looped_o <= next(looped_o, mine);
          dropped_o <= next(dropped_o, !mine);
        end else if (take) begin
          state_q <= fits ? Body : Skip;
        end
      end
      Body: if (write_valid && write_ready) begin
        left_q <= left_q - 1'b1;
        if (write_last) state_q <= given_up || !s_axis.tlast ? Skip : Head;
      end
      default: if (moves && s_axis.tlast) state_q <= Head;
    endcase
    if (rst_i) begin
      state_q <= Head;
      half_q <= 1'b0;
      looped_o <= '0;
      dropped_o <= '0;
    end
  end

`ifdef FORMAL
  initial state_q = Head;
  initial half_q = 1'b0;
`endif
`ifdef LIG_RULES
  lig_axis_rules #(.DATA_WIDTH(DATA_WIDTH)) rules_s (
      .clk_i, .rst_i, .tvalid(s_axis.tvalid), .tready(s_axis.tready), .tdata(s_axis.tdata),
      .tkeep(s_axis.tkeep), .tlast(s_axis.tlast));
  // What the gate needs.
  lig_rest_rules #(.WIDTH(128), .WHEN("the clock stands still")) rules_rest (
      .clk_i, .rst_i, .moves_i(wakes),
      .is_i(128'({state_q, half_q, left_q, room_valid, room_level, told_valid, note_level, looped_o, dropped_o})));
`endif
endmodule
