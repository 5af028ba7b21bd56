// SPDX-License-Identifier: Apache-2.0
//
// lig_drive_lights: which light holds for a frame; LightEvents of kernels/light_events.hpp.
//
// Events wait in any order: each question looks at all of them. So none is moved, and the answers are those of the sorted
// list: the latest that is due holds; where there is no room, the earliest holds at once. An event is one number, its
// stamp and behind it whether it is red: of two with one stamp, red is the later one.
//
//   latency   EVENTS + 2 cycles
//   storage   EVENTS words of 65 bits
module lig_drive_lights #(
    parameter int unsigned EVENTS = 32  // that wait at most
) (
    input logic clk_i, rst_i,  // reset: synchronous, high

    // One at a time, while it is not busy.
    input logic clear_i,               // forgets all; together with ask_i: first
    input logic add_i,                 // an event of red_i and stamp_i
    input logic ask_i,                 // which light holds where events up to stamp_i are due
    input logic signed [63:0] stamp_i, // ns
    input logic red_i,

    output logic busy_o,  // from the next cycle on, until it is done
    output logic red_o    // the light that holds
);
  localparam int unsigned PlaceBits = $clog2(EVENTS);
  typedef logic signed [64:0] event_t;

  typedef enum logic [1:0] {Stand, Look, Decide} state_e;
  state_e state_q;
  event_t waiting[EVENTS];
  logic [EVENTS-1:0] waits_q;
  event_t holds_q, event_q, best_q, seen;  // best: the latest that is due, or the earliest of all
  logic any_holds_q, any_best_q, asked_q, known_q, room_q;
  logic [PlaceBits-1:0] place_q, best_at_q, room_at_q;
  logic due, adds;

  assign busy_o = state_q != Stand;
  assign red_o = any_holds_q && holds_q[0];
  assign seen = waiting[place_q];
  assign due = waits_q[place_q] && $signed(seen[64:1]) <= $signed(event_q[64:1]);
  // What is not later than what holds is dropped; so is what waits already, and what is earlier than all of too many.
  assign adds = state_q == Decide && !asked_q && !known_q && (!any_holds_q || holds_q < event_q) &&
      (room_q || best_q < event_q);

  always_ff @(posedge clk_i) begin
    if (adds) waiting[room_q ? room_at_q : best_at_q] <= event_q;
  end

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Stand: begin
        event_q <= {stamp_i, red_i};
        asked_q <= ask_i;
        place_q <= '0;
        known_q <= 1'b0;
        room_q <= 1'b0;
        any_best_q <= 1'b0;
        if (clear_i) begin
          waits_q <= '0;
          any_holds_q <= 1'b0;
        end
        if (add_i || ask_i) state_q <= Look;
      end
      Look: begin
        place_q <= place_q + 1'b1;
        if (place_q == PlaceBits'(EVENTS - 1)) state_q <= Decide;
        if (asked_q) begin
          if (due) begin
            waits_q[place_q] <= 1'b0;
            any_best_q <= 1'b1;
            if (!any_best_q || best_q < seen) best_q <= seen;
          end
        end else if (waits_q[place_q]) begin
          if (seen == event_q) known_q <= 1'b1;
          any_best_q <= 1'b1;
          if (!any_best_q || seen < best_q) begin
            best_q <= seen;
            best_at_q <= place_q;
          end
        end else begin
          room_q <= 1'b1;
          room_at_q <= place_q;
        end
      end
      default: begin
        state_q <= Stand;
        if (asked_q ? any_best_q : adds && !room_q) begin
          holds_q <= best_q;
          any_holds_q <= 1'b1;
        end
        if (adds) waits_q[room_q ? room_at_q : best_at_q] <= 1'b1;
      end
    endcase
    if (rst_i) begin
      state_q <= Stand;
      waits_q <= '0;
      any_holds_q <= 1'b0;
    end
  end
endmodule
