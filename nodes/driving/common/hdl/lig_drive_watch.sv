// SPDX-License-Identifier: Apache-2.0
//
// lig_drive_watch: when a traffic light counts (LightWatch of kernels/light_watch.hpp), with what the other detector says.
//
// The other's events wait in any order until their frame comes; a frame looks at all of them. So none is moved, and what
// comes of it is that of the sorted list: hearing of events does not depend on their order.
//
// Stamps are compared in one cycle, and what follows is done in the next: so each event takes three.
//
//   latency   of a frame and of an event 3 cycles per event and 6, else 3
//   storage   32 words of 64 bits
module lig_drive_watch
  import lig_drive_stamp_pkg::*;
#(
    parameter bit BEGINS = 1'b1,  // the red one: looks from the start, and repeats its event while it waits
    parameter int unsigned EVENTS = 32  // that wait at most; of more, the earliest is heard at once
) (
    input logic clk_i, rst_i,  // reset: synchronous, high

    input logic [3:0] confirm_i,
    input logic       alternates_i,

    // One at a time, while it is not busy.
    input logic   light_i,  // the other detector's event
    input logic   done_i,   // it is done with a frame
    input logic   frame_i,  // a frame
    input logic   found_i,  // in which the light is to be seen
    input stamp_t stamp_i,  // of that

    output logic   busy_o,   // from the next cycle on, until it is done
    output logic   due_o,    // all is known that counts for a frame of stamp_i
    output logic   lost_o,   // a frame before it, that of done_o, came to the other detector alone
    output stamp_t done_o,
    // Of the last frame:
    output logic   says_o,   // event_o is to be announced
    output logic   own_o,    // which is that of the frame itself
    output logic   taken_o,  // what was found in it counts as what was last seen
    output stamp_t event_o
);
  localparam int unsigned PlaceBits = $clog2(EVENTS);
  typedef enum logic [2:0] {Stand, Weigh, Begin, Read, Compare, Apply, Choose, Decide} state_e;
  state_e state_q;

  stamp_t waiting[EVENTS];
  logic [EVENTS-1:0] waits_q;
  logic [PlaceBits-1:0] place_q, first_at_q, room_at_q;
  stamp_t at_q, first_q, seen_q;  // at: of what is being done; first: the earliest that waits; seen: what is compared
  logic light_q, is_done_q, found_q, anew_q, any_first_q, known_q, room_q, chosen_q;

  logic looks_q, again_q, any_frame_q, any_event_q, any_other_q, any_done_q;
  stamp_t frame_q, event_q, other_q, done_q;
  logic [7:0] history_q, history;

  assign busy_o = state_q != Stand;
  assign event_o = event_q;
  assign done_o = done_q;
  assign due_o = !any_done_q || (BEGINS ? !any_frame_q || !is_later(frame_q, done_q) : !is_later(stamp_i, done_q));
  assign lost_o = any_done_q && (!any_frame_q || is_later(done_q, frame_q)) && is_later(stamp_i, done_q);

  // --- stamps, of the cycle before ------------------------------------------------------------------------

  frame_e kind_q;
  logic behind_done_q, done_anew_q, due_q, forgets_q, same_q, earliest_q, behind_first_q, old_q, newest_q, behind_other_q;
  always_ff @(posedge clk_i) begin
    kind_q <= frame_behind(any_frame_q, frame_q, at_q);
    behind_done_q <= is_later(at_q, done_q);
    done_anew_q <= begins_anew(done_q, at_q);
    due_q <= BEGINS ? is_later(at_q, seen_q) : !is_later(seen_q, at_q);
    forgets_q <= anew_q && begins_anew(seen_q, at_q);  // of the time before
    same_q <= seen_q == at_q;
    earliest_q <= !any_first_q || is_later(first_q, seen_q);
    behind_first_q <= is_later(at_q, first_q);
    // Of red and green in one frame red holds: so for green an equal stamp is a later event.
    old_q <= any_event_q && (BEGINS ? !is_later(seen_q, event_q) : is_later(event_q, seen_q));
    newest_q <= !any_other_q || is_later(seen_q, other_q);
    behind_other_q <= !any_other_q || is_later(at_q, other_q);
  end

  // --- events that wait -----------------------------------------------------------------------------------

  logic full, hears;
  // An event for which there is no room is heard, if it is the earliest; else it takes the place of that.
  assign full = state_q == Decide && light_q && !known_q && !room_q;
  assign hears = full || (state_q == Apply && !light_q && waits_q[place_q] && due_q);

  always_ff @(posedge clk_i) begin
    if (state_q == Decide && light_q && !known_q && (room_q || behind_first_q))
      waiting[room_q ? room_at_q : first_at_q] <= at_q;
    if (state_q == Read) seen_q <= waiting[place_q];
    if (state_q == Choose && !chosen_q) seen_q <= is_later(first_q, at_q) ? at_q : first_q;
  end

  always_ff @(posedge clk_i) begin
    if (state_q == Begin) begin
      place_q <= '0;
      {any_first_q, known_q, room_q} <= '0;
    end
    if (state_q == Apply) begin
      place_q <= place_q + 1'b1;
      if (!light_q && (due_q || forgets_q)) waits_q[place_q] <= 1'b0;
      if (waits_q[place_q]) begin
        if (same_q) known_q <= 1'b1;
        any_first_q <= 1'b1;
        if (earliest_q) begin
          first_q <= seen_q;
          first_at_q <= place_q;
        end
      end else begin
        room_q <= 1'b1;
        room_at_q <= place_q;
      end
    end
    if (state_q == Decide && light_q && !known_q && room_q) waits_q[room_at_q] <= 1'b1;
    if (rst_i) waits_q <= '0;
  end

  // --- which light holds ----------------------------------------------------------------------------------

  logic counts, is_confirmed;
  assign counts = state_q == Begin && !light_q && !is_done_q && kind_q != Stale;
  assign history = {history_q[6:0], found_q};
  // Green is not announced for a frame that counts as red: nobody would heed it.
  assign is_confirmed = looks_q && 4'($countones(history)) >= confirm_i && (BEGINS || behind_other_q);

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Stand: begin
        at_q <= stamp_i;
        light_q <= light_i;
        is_done_q <= done_i;
        found_q <= found_i;
        again_q <= BEGINS;
        if (frame_i) {says_o, own_o, taken_o} <= '0;
        if (light_i || done_i || frame_i) state_q <= Weigh;
      end
      Weigh: state_q <= Begin;
      Begin: begin
        anew_q <= kind_q == Restarted;
        if (is_done_q || (light_q && any_done_q)) begin
          any_done_q <= 1'b1;
          if (!any_done_q || behind_done_q || (is_done_q && done_anew_q)) done_q <= at_q;
        end
        state_q <= light_q || counts ? Read : Stand;
      end
      Read: state_q <= Compare;
      Compare: state_q <= Apply;
      Apply: begin
        chosen_q <= 1'b0;
        state_q <= place_q == PlaceBits'(EVENTS - 1) ? Choose : Read;
      end
      Choose: begin  // and what is chosen is compared
        chosen_q <= 1'b1;
        if (chosen_q) state_q <= Decide;
      end
      default: state_q <= Stand;
    endcase
    if (counts) begin
      any_frame_q <= 1'b1;
      frame_q <= at_q;
      if (kind_q == Restarted) begin
        {any_event_q, any_other_q, history_q} <= '0;
        looks_q <= BEGINS;
      end
    end
    if (hears) begin
      any_other_q <= 1'b1;
      if (newest_q) other_q <= seen_q;
      if (old_q) again_q <= again_q || !BEGINS;
      else begin
        looks_q <= 1'b1;
        if (!looks_q) history_q <= '0;
      end
    end
    if (state_q == Decide && !light_q) begin
      own_o <= is_confirmed;
      says_o <= is_confirmed || (!looks_q && again_q && any_event_q);
      taken_o <= looks_q && found_q;
      if (looks_q) history_q <= history;
      if (is_confirmed) begin
        any_event_q <= 1'b1;
        event_q <= at_q;
        if (alternates_i) begin
          looks_q <= 1'b0;
          history_q <= '0;
        end
      end
    end
    if (rst_i) begin
      state_q <= Stand;
      looks_q <= BEGINS;
      {history_q, any_frame_q, any_event_q, any_other_q, any_done_q} <= '0;
    end
  end
endmodule
