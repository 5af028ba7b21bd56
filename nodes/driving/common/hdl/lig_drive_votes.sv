// SPDX-License-Identifier: Apache-2.0
//
// lig_drive_votes: where the stripes of a band of rows are: StripeVotes of kernels/lane_centre.hpp, of both colours.
//
// Each run of a colour that may be a stripe's votes for twice its centre. When the band is over, a window slides over all
// places: its votes and the sum of their places, apart for the band's far and near half, are those of the first window
// with the most votes. Then all votes are 0 again, as behind a reset.
//
//   initiation interval  1 vote per cycle; two for the same place at least two cycles apart
//   a scan               8 cycles per place (4 of each colour), then MAX_PLACES
//   storage              MAX_PLACES words of 48 bits
module lig_drive_votes #(
    parameter int unsigned MAX_PLACES = 8192,  // twice the longest row
    localparam int unsigned Bits      = $clog2(MAX_PLACES)
) (
    input logic clk_i, rst_i,  // reset: synchronous, high

    input logic            valid_i,  // a vote; not while busy
    input logic [Bits-1:0] place_i,
    input logic            white_i,  // or yellow
    input logic            near_i,   // or far

    input  logic          scan_i,    // one cycle: the band is over, and its last vote was two cycles ago
    input  logic [Bits:0] places_i,  // twice the row's length
    input  logic [31:0]   window_i,  // places
    output logic          busy_o,
    output logic          scanned_o,  // one cycle: votes and places are known, until the next

    output logic [1:0][1:0][23:0] votes_o,  // of white and yellow, near and far: index 1 and 0
    output logic [1:0][1:0][37:0] places_o  // sum over these votes
);
  if ((MAX_PLACES & (MAX_PLACES - 1)) != 0) begin : g_rule_places
    $fatal(1, "lig_drive_votes: rule places: MAX_PLACES = %0d, a power of two is needed", MAX_PLACES);
  end
  typedef enum logic [2:0] {Clear, Open, Enter, Add, Take, Judge} state_e;
  state_e state_q;

  logic [47:0] memory[MAX_PLACES];
  logic [47:0] data_q, write_data;
  logic [Bits-1:0] read_address, write_address, voted_q;
  logic [Bits:0] place_q;
  logic white_q, near_q, vote_q, write, colour_q, is_in;
  logic [31:0] behind;  // the place that leaves the window

  assign behind = 32'(place_q) - window_i;
  assign is_in = 32'(place_q) >= window_i;
  assign read_address = state_q == Open ? place_i : state_q == Add ? behind[Bits-1:0] : place_q[Bits-1:0];
  assign write = state_q == Clear || vote_q;
  assign write_address = state_q == Clear ? place_q[Bits-1:0] : voted_q;

  // Four counts: white near, white far, yellow near, yellow far.
  always_comb begin
    write_data = data_q;
    if (state_q == Clear) write_data = '0;
    else begin
      for (int unsigned i = 0; i < 4; i++) begin
        if ({white_q, near_q} == 2'(i)) write_data[12*i+:12] = data_q[12*i+:12] + 12'd1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (write) memory[write_address] <= write_data;
    data_q <= memory[read_address];
    voted_q <= place_i;
    white_q <= white_i;
    near_q <= near_i;
    vote_q <= valid_i && state_q == Open && !rst_i;
  end

  // --- the window -------------------------------------------------------------------------------------------

  logic [1:0][23:0] votes_q;
  logic [1:0][37:0] sums_q;
  logic [1:0][11:0] counts;
  logic [23:0] all, most_q;
  logic [Bits-1:0] at_q;  // the place that counts belong to

  assign counts = colour_q ? data_q[47:24] : data_q[23:0];
  assign all = votes_q[0] + votes_q[1];

  for (genvar i = 0; i < 2; i++) begin : g_half
    logic [37:0] weighted;
    assign weighted = 38'(counts[i]) * 38'(at_q);
    always_ff @(posedge clk_i) begin
      if (state_q == Add) begin
        votes_q[i] <= votes_q[i] + 24'(counts[i]);
        sums_q[i] <= sums_q[i] + weighted;
      end
      if (state_q == Take && is_in) begin
        votes_q[i] <= votes_q[i] - 24'(counts[i]);
        sums_q[i] <= sums_q[i] - weighted;
      end
      if (state_q == Open || (state_q == Judge && place_q + 1'b1 == places_i)) begin
        votes_q[i] <= '0;
        sums_q[i] <= '0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    at_q <= read_address;
    scanned_o <= 1'b0;
    unique case (state_q)
      Clear: begin
        place_q <= place_q + 1'b1;
        if (place_q == (Bits + 1)'(MAX_PLACES - 1)) state_q <= Open;
      end
      Open: begin
        place_q <= '0;
        colour_q <= 1'b0;
        most_q <= '0;
        if (scan_i) begin
          votes_o <= '0;
          places_o <= '0;
          state_q <= Enter;
        end
      end
      Enter: state_q <= Add;
      Add: state_q <= Take;
      Take: state_q <= Judge;
      Judge: begin
        state_q <= Enter;
        place_q <= place_q + 1'b1;
        if (all > most_q) begin
          most_q <= all;
          votes_o[colour_q] <= votes_q;
          places_o[colour_q] <= sums_q;
        end
        if (place_q + 1'b1 == places_i) begin
          place_q <= '0;
          most_q <= '0;
          colour_q <= 1'b1;
          if (colour_q) begin
            scanned_o <= 1'b1;
            state_q <= Clear;
          end
        end
      end
      default: state_q <= Clear;
    endcase
    if (rst_i) begin
      state_q <= Clear;
      place_q <= '0;
    end
  end
  assign busy_o = state_q != Open;
endmodule
