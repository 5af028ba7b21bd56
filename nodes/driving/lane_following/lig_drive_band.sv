// SPDX-License-Identifier: Apache-2.0
//
// lig_drive_band: a band of rows of pixels into what was voted for: LaneFinder of kernels/lane_centre.hpp up to its votes.
//
// Pixels to classes (lig_drive_class), classes to runs (lig_drive_runs), runs that may be a stripe's to votes
// (lig_drive_votes). What touches a row's ends is no stripe. So between two votes for the same place lie a row's last and
// the next row's first run, as many cycles as lig_drive_votes needs there.
//
//   initiation interval  PIXELS pixels, and a cycle more for each run that begins amidst them
//   latency              ClassLatency (5) cycles and 2; behind them the scan of lig_drive_votes
//   storage              that of lig_drive_votes
module lig_drive_band
  import lig_drive_pkg::*;
#(
    parameter int unsigned MAX_WIDTH = 4096,  // longest row, a power of two
    parameter int unsigned PIXELS    = 1      // per cycle: 1, 2, 4, 8
) (
    input logic clk_i, rst_i,  // reset: synchronous, high

    input colour_range_t yellow_i,  // constant while there are pixels
    input colour_range_t white_i,
    input logic          bgr_i,     // blue is the first channel; else red is
    input logic [15:0]   width_i,   // of the rows
    input logic [15:0]   rows_i,
    input logic [31:0]   run_from_i,  // pixels of a run
    input logic [31:0]   run_to_i,
    input logic [31:0]   window_i,    // of lig_drive_votes

    input  logic                 valid_i,
    output logic                 ready_o,
    input  logic [32*PIXELS-1:0] pixel_i,  // as lig_image_pixels_if has them, rows of the band alone

    output logic busy_o,   // pixels are on their way to votes
    output logic counts_o,  // votes are counted, or made 0: no pixel is taken
    input  logic clear_i,  // one cycle, not while busy: the next pixel begins a band
    input  logic scan_i,   // with clear_i: the votes are to be counted
    output logic scanned_o,  // one cycle: votes and places are known, until the next

    output logic [1:0][1:0][23:0] votes_o,  // as lig_drive_votes has them
    output logic [1:0][1:0][37:0] places_o
);
  localparam int unsigned PlaceBits = $clog2(2 * MAX_WIDTH);

  logic band_clk, move, runs_ready;
  logic [ClassLatency-1:0] valid_q;  // pixels on their way to classes
  logic [1:0] told_q;                // and to a vote
  class_e [PIXELS-1:0] classes;
  assign move = !valid_q[ClassLatency-1] || runs_ready;
  // The votes of the band before are counted and gone.
  assign ready_o = move && !counts_o;
  assign busy_o = valid_q != '0 || told_q != '0;
  lig_gate #(.LINGER(15)) gate (.clk_i, .rst_i, .wake_i(valid_i || busy_o || clear_i || counts_o), .clk_o(band_clk));

  always_ff @(posedge band_clk) begin
    if (move) valid_q <= {valid_q[ClassLatency-2:0], valid_i && ready_o};
    told_q <= {told_q[0], valid_q[ClassLatency-1]};
    if (rst_i) begin
      valid_q <= '0;
      told_q <= '0;
    end
  end

  for (genvar i = 0; i < PIXELS; i++) begin : g_class
    lig_drive_class classify (
        .clk_i(band_clk), .move_i(move), .yellow_i, .white_i, .bgr_i, .pixel_i(pixel_i[32*i+:32]), .class_o(classes[i]));
  end

  // --- runs, votes ------------------------------------------------------------------------------------------

  logic run, last, vote_q, near_q, white_q;
  logic [1:0] run_class;
  logic [15:0] from, to, row_q;
  logic [31:0] length;
  logic [PlaceBits-1:0] place_q;
  lig_drive_runs #(.PIXELS(PIXELS)) runs (
      .clk_i(band_clk), .rst_i, .start_i(clear_i), .width_i, .valid_i(valid_q[ClassLatency-1]), .ready_o(runs_ready),
      .classes_i(classes), .run_valid_o(run), .run_ready_i(1'b1), .class_o(run_class), .begin_o(from), .end_o(to),
      .last_o(last));
  assign length = 32'(to - from);

  always_ff @(posedge band_clk) begin
    vote_q <= run && run_class != Ground && from != '0 && !last && length >= run_from_i && length <= run_to_i;
    white_q <= run_class == White;
    near_q <= {row_q, 1'b0} >= {1'b0, rows_i};
    place_q <= PlaceBits'(from + to - 16'd1);  // twice the run's centre
    if (run && last) row_q <= row_q + 16'd1;
    if (rst_i || clear_i) begin
      vote_q <= 1'b0;
      row_q <= '0;
    end
  end

  lig_drive_votes #(.MAX_PLACES(2 * MAX_WIDTH)) count (
      .clk_i(band_clk), .rst_i, .valid_i(vote_q), .place_i(place_q), .white_i(white_q), .near_i(near_q), .scan_i,
      .places_i((PlaceBits + 1)'({width_i, 1'b0})), .window_i, .busy_o(counts_o), .scanned_o, .votes_o, .places_o);
endmodule
