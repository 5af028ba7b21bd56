// SPDX-License-Identifier: Apache-2.0
//
// polyfit_votes: where a stripe begins: StripeVotes of kernels/lane_centre.hpp, of two colours and one half.
//
// A run votes for its centre, in half columns. Asked for a colour, it slides a window over all places: of the window with the
// most votes, the leftmost if there are several, it gives the sum of the places and of the votes. Their quotient is the mean.
//
//   latency   a vote 3 cycles; Clear 2 per place; a question 4 per place
//   storage   2 * PLACES counts
module polyfit_votes #(
    parameter int unsigned PLACES = 4096  // half columns of the widest image, a power of two
) (
    input logic clk_i, rst_i,  // reset: synchronous, high

    input logic [15:0] places_i,  // of this image; constant between two clear_i
    input logic [23:0] window_i,  // places that it is wide

    // One at a time, while it is not busy.
    input logic        clear_i,
    input logic        add_i,
    input logic        ask_i,
    input logic        white_i,  // the colour
    input logic [15:0] place_i,

    output logic        busy_o,   // from the next cycle on, until it is done
    output logic        any_o,    // somebody voted
    output logic [39:0] places_o, // sum
    output logic [31:0] votes_o   // sum
);
  localparam int unsigned P = $clog2(PLACES);
  typedef enum logic [3:0] {Stand, Clear, Read, Add, Enter, Entered, Leave, Left, Sum, Summed} state_e;
  state_e state_q;

  logic [9:0] counts[2*PLACES];
  logic [9:0] count_q;
  logic [15:0] at_q, end_q;
  logic [P:0] address;
  logic white_q;
  logic [31:0] votes_q, most_q;
  logic [31:0] within;  // the window, once one has left
  logic [23:0] behind, from;

  assign busy_o = state_q != Stand;
  assign any_o = most_q != '0;
  assign behind = 24'(at_q) - window_i;  // the place that leaves the window
  assign from = 24'(end_q) > window_i ? 24'(end_q) - window_i : '0;
  assign within = 24'(at_q) >= window_i ? votes_q - 32'(count_q) : votes_q;
  assign address = {white_q, state_q == Leave ? behind[P-1:0] : at_q[P-1:0]};

  always_ff @(posedge clk_i) begin
    count_q <= counts[address];
    if (state_q == Clear || state_q == Add) counts[address] <= state_q == Add ? count_q + 1'b1 : '0;
  end

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Stand: begin
        white_q <= clear_i ? 1'b0 : white_i;
        at_q <= add_i ? place_i : '0;
        if (ask_i) {most_q, votes_q, end_q} <= '0;
        if (clear_i) state_q <= Clear;
        else if (add_i) state_q <= Read;
        else if (ask_i) state_q <= Enter;
      end
      Clear: begin
        at_q <= at_q + 1'b1;
        if (at_q == places_i - 1'b1) begin
          at_q <= '0;
          white_q <= 1'b1;
          if (white_q) state_q <= Stand;
        end
      end
      Read: state_q <= Add;
      Add: state_q <= Stand;

      Enter: state_q <= Entered;
      Entered: begin
        votes_q <= votes_q + 32'(count_q);
        state_q <= Leave;
      end
      Leave: state_q <= Left;
      Left: begin
        // The place was still in the window when the votes were counted: one leaves before they are compared.
        votes_q <= within;
        if (within > most_q) begin
          most_q <= within;
          end_q <= at_q + 1'b1;
        end
        at_q <= at_q + 1'b1;
        state_q <= Enter;
        if (at_q == places_i - 1'b1) begin
          places_o <= '0;
          votes_o <= '0;
          at_q <= '0;
          state_q <= Sum;
        end
      end
      Sum: begin
        // The first time, the window's begin is not known yet.
        state_q <= 24'(at_q) < from ? Sum : Summed;
        if (24'(at_q) < from) at_q <= from[15:0];
        else if (at_q >= end_q) state_q <= Stand;
      end
      default: begin  // Summed
        places_o <= places_o + 40'(at_q) * 40'(count_q);
        votes_o <= votes_o + 32'(count_q);
        at_q <= at_q + 1'b1;
        state_q <= Sum;
      end
    endcase
    if (rst_i) state_q <= Stand;
  end
endmodule
