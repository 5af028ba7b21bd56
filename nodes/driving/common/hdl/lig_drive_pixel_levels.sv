// SPDX-License-Identifier: Apache-2.0
//
// lig_drive_pixel_levels: the histogram of an image's brightness, and of that the table of levels of Image Compensation: bit by
// bit as kernels/compensation.hpp.
//
// Each lane counts for itself. After the image, one pass over the bins finds `low` and `high`, the ends of what is no outlier,
// and clears them. Both are judged without division: more than p k / 1000 pixels, where 1000 times their number is more than
// p k. A second pass steps 255 x / spread from level to level: what the quotient grows by is counted, so nothing is divided.
//
//   cycles   256 for the ends, at most 514 for the table
//   storage  PIXELS histograms, 3 PIXELS tables of 256 bytes
module lig_drive_pixel_levels
  import lig_image_pkg::*;
#(
    parameter int unsigned MAX_PIXELS = 307200,  // below 2^24
    parameter int unsigned PIXELS     = 1        // per cycle
) (
    input logic clk_i, rst_i,  // reset: synchronous, high

    input logic                  valid_i,  // count these
    input logic [PIXELS-1:0]     lanes_i,
    input logic [32*PIXELS-1:0]  pixel_i,  // a pixel_t each
    input logic                  blue_first_i,

    input  logic        forget_i,    // what was counted so far; one cycle
    input  logic        make_i,      // the table of it; one cycle, two behind the last pixel at least
    input  logic        may_write_i, // nobody looks at the old table any more
    input  logic [23:0] pixels_i,    // of the image, not 0
    input  logic [8:0]  clip_i,      // permille of outliers at each end
    input  logic [8:0]  least_i,     // spread below which levels stay as they are, 1..256
    output logic        done_o,      // the table is there; one cycle
    output logic        idle_o,      // pixels may come
    output logic        busy_o,      // it goes on by itself

    input  logic [3*PIXELS-1:0][7:0] from_i,
    output logic [3*PIXELS-1:0][7:0] to_o     // in the same cycle
);
  localparam int unsigned CountBits = $clog2(MAX_PIXELS + 1);
  typedef enum logic [2:0] {Clear, Idle, Ends, Hold, Steps} state_e;
  state_e state_q;
  logic [7:0] bin_q;

  // --- counting -------------------------------------------------------------------------------------------

  logic [PIXELS-1:0][CountBits-1:0] counts;
  logic [23:0] count;
  logic clears;
  assign clears = state_q == Clear || state_q == Ends;

  for (genvar i = 0; i < PIXELS; i++) begin : g_lane
    logic [CountBits-1:0] histogram[256];
    logic [7:0] level_q, place;
    logic counts_q;
    always_ff @(posedge clk_i) begin
      // BT.601 in eighths of a percent; red is the first byte or the third.
      level_q <= 8'((16'(pixel_i[32*i+:8]) * (blue_first_i ? 16'd29 : 16'd77) + 16'(pixel_i[32*i+8+:8]) * 16'd150 +
                     16'(pixel_i[32*i+16+:8]) * (blue_first_i ? 16'd77 : 16'd29) + 16'd128) >> 8);
      counts_q <= valid_i && lanes_i[i] && !rst_i;
    end
    assign place = clears ? bin_q : level_q;
    assign counts[i] = histogram[place];
    always_ff @(posedge clk_i) begin
      if (clears || counts_q) histogram[place] <= clears ? '0 : counts[i] + 1'b1;
    end
  end

  always_comb begin
    count = '0;
    for (int unsigned i = 0; i < PIXELS; i++) count = count + 24'(counts[i]);
  end

  // --- the ends -------------------------------------------------------------------------------------------

  logic [33:0] limit_q;   // pixels times permille: above it are more than the outliers
  logic [33:0] all_q;     // 1000 times all pixels
  logic [33:0] before_q, upto;  // 1000 times the pixels below this level, and with it
  logic [7:0] low_q, high_q;
  logic low_found_q;
  assign upto = before_q + 34'(count) * 34'd1000;

  always_ff @(posedge clk_i) begin
    if (make_i) begin
      limit_q <= 34'(pixels_i) * 34'(clip_i);
      all_q <= 34'(pixels_i) * 34'd1000;
      before_q <= '0;
      low_found_q <= 1'b0;
    end
    if (state_q == Ends) begin
      before_q <= upto;
      if (!low_found_q && upto > limit_q) begin
        low_q <= bin_q;
        low_found_q <= 1'b1;
      end
      // The last level from which on there are more than the outliers.
      if (all_q - before_q > limit_q) high_q <= bin_q;
    end
  end

  // --- the table ------------------------------------------------------------------------------------------

  logic [7:0] spread, value_q;
  logic [10:0] rest_q, twice;  // of (2 * 255 x + spread) / (2 spread), the remainder
  logic spreads, grows, writes;
  assign spread = high_q - low_q;
  assign twice = 11'(spread) << 1;
  assign spreads = high_q > low_q && 9'(spread) >= least_i;
  assign grows = spreads && rest_q >= twice;
  assign writes = state_q == Steps && !grows;

  always_ff @(posedge clk_i) begin
    if (state_q == Hold) begin
      value_q <= '0;
      rest_q <= 11'(spread);
    end
    if (state_q == Steps && grows) begin
      value_q <= value_q + 1'b1;
      rest_q <= rest_q - twice;
    end
    if (writes && bin_q >= low_q && bin_q < high_q) rest_q <= rest_q + 11'd510;
  end

  for (genvar j = 0; j < 3 * PIXELS; j++) begin : g_table
    logic [7:0] levels[256];
    always_ff @(posedge clk_i) begin
      if (writes) levels[bin_q] <= spreads ? value_q : bin_q;
    end
    assign to_o[j] = levels[from_i[j]];
  end

  // --- what follows ---------------------------------------------------------------------------------------

  assign done_o = writes && bin_q == 8'hFF;
  assign idle_o = state_q == Idle;
  assign busy_o = clears || state_q == Steps;

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Clear: if (bin_q == 8'hFF) state_q <= Idle;
      Idle: if (make_i) state_q <= Ends;
      else if (forget_i) state_q <= Clear;
      Ends: if (bin_q == 8'hFF) state_q <= Hold;
      Hold: if (may_write_i) state_q <= Steps;
      Steps: if (done_o) state_q <= Idle;
      default: state_q <= Clear;
    endcase
    // From 255 on it is 0 again.
    if (clears || writes) bin_q <= bin_q + 1'b1;
    if (rst_i) begin
      state_q <= Clear;
      bin_q <= '0;
    end
  end
endmodule
