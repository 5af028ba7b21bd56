// SPDX-License-Identifier: Apache-2.0
//
// lig_drive_waiting: frames that wait for the light detectors (waiting_ of lane_control_cpu.cpp), and how far these are
// (FrameProgress of kernels/frame_order.hpp).
//
//   latency   of a frame that comes LANES + 2 cycles at most, else 1
//   storage   LANES lanes
module lig_drive_waiting #(
    parameter int unsigned LANE_BITS = 1,
    parameter int unsigned LANES = 8  // that wait at most; of more, the first is dropped
) (
    input logic clk_i, rst_i,  // reset: synchronous, high

    // One at a time, while it is not busy. Stamps are ns.
    input logic signed [63:0]   stamp_i,
    input logic                 add_i,    // a frame, which comes with lane_i
    input logic [LANE_BITS-1:0] lane_i,   // constant until it is not busy
    input logic                 light_i,  // an event of the detector which_i
    input logic                 done_i,   // that is done with a frame
    input logic                 which_i,
    input logic                 pop_i,    // the first frame is answered

    output logic                 busy_o,  // from the next cycle on, until it is done
    output logic                 any_o,   // a frame waits; the first:
    output logic signed [63:0]   stamp_o,
    output logic [LANE_BITS-1:0] lane_o,
    output logic                 due_o  // both detectors have said all that counts for frames up to stamp_i
);
  localparam int unsigned CountBits = $clog2(LANES + 1);
  typedef logic [CountBits-1:0] count_t;
  typedef struct packed {
    logic signed [63:0]   stamp;
    logic [LANE_BITS-1:0] lane;
  } frame_t;
  typedef enum logic [1:0] {Stand, Drop, Keep} state_e;

  state_e state_q;
  frame_t held[LANES];  // the oldest first
  frame_t moved;
  count_t count_q, from_q, to_q;

  function automatic logic begins_anew(input logic signed [63:0] earlier, input logic signed [63:0] stamp);
    return earlier > stamp + 64'sd1_000_000_000;
  endfunction

  assign busy_o = state_q != Stand;
  assign any_o = count_q != '0;
  assign stamp_o = held[0].stamp;
  assign lane_o = held[0].lane;
  assign moved = held[from_q[CountBits-2:0]];

  always_ff @(posedge clk_i) begin
    if (state_q == Drop && from_q < count_q) held[to_q[CountBits-2:0]] <= moved;
    if (pop_i || (state_q == Keep && count_q == count_t'(LANES))) begin
      for (int unsigned i = 0; i + 1 < LANES; i++) held[i] <= held[i+1];
    end
    if (state_q == Keep) begin
      if (count_q == count_t'(LANES)) held[LANES-1] <= '{stamp: stamp_i, lane: lane_i};
      else held[count_q[CountBits-2:0]] <= '{stamp: stamp_i, lane: lane_i};
    end
  end

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Stand: begin
        {from_q, to_q} <= '0;
        if (pop_i) count_q <= count_q - 1'b1;
        if (add_i) state_q <= Drop;
      end
      Drop: begin  // what is of the time before
        from_q <= from_q + 1'b1;
        if (!begins_anew(moved.stamp, stamp_i)) to_q <= to_q + 1'b1;
        if (from_q >= count_q) begin
          count_q <= to_q;
          state_q <= Keep;
        end
      end
      default: begin  // Keep
        if (count_q != count_t'(LANES)) count_q <= count_q + 1'b1;
        state_q <= Stand;
      end
    endcase
    if (rst_i) begin
      state_q <= Stand;
      count_q <= '0;
    end
  end

  // --- how far the detectors are --------------------------------------------------------------------------

  logic [1:0] any_done_q;
  logic signed [63:0] done_q[2];
  always_comb begin
    due_o = 1'b1;
    for (int unsigned i = 0; i < 2; i++) begin
      if (any_done_q[i] && done_q[i] < stamp_i) due_o = 1'b0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (done_i || (light_i && any_done_q[which_i])) begin
      any_done_q[which_i] <= 1'b1;
      if (!any_done_q[which_i] || done_q[which_i] < stamp_i || (done_i && begins_anew(done_q[which_i], stamp_i)))
        done_q[which_i] <= stamp_i;
    end
    if (rst_i) any_done_q <= '0;
  end
endmodule
