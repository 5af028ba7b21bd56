// SPDX-License-Identifier: Apache-2.0
//
// lig_image_blur: a stream of pixels through a Gaussian filter of 3, 5 or 7 pixels, bit by bit as cv::GaussianBlur.
//
// Eight rows are kept, one memory each, PIXELS neighbours in a word. For each row of the result the words are read in order,
// and each column of seven pixels is added up with its weights: in whole numbers, which is exact in this order as in OpenCV's.
// Such sums pass through a window of words, of which a word's own columns and three more on each side are taken, added up with
// their weights, and rounded once. Places beyond a border are mirrored (the border itself not repeated): rows where they
// are addressed, columns where they are taken from the window. So the next row's words may push the last ones of this row out.
// Pixels that are equally far have one multiplier.
//
//   latency              size / 2 + 1 rows, 3 columns and 6 cycles
//   initiation interval  1
//   storage              8 rows of MAX_WIDTH pixels, 7 to 24 columns of sums; 32 PIXELS multipliers of 9 x 8 and 17 x 8 bits
module lig_image_blur
  import lig_image_pkg::*;
#(
    parameter int unsigned MAX_WIDTH = 1920,
    parameter int unsigned PIXELS    = 1      // per cycle: 1, 2, 4, 8
) (
    input logic clk_i,
    input logic clear_i,  // synchronous, high: the next image begins
    input logic run_i,    // its size is valid

    input logic [15:0] width_i,
    input logic [15:0] height_i,
    input logic [1:0]  half_i,  // of the filter: 1, 2, 3 for 3, 5, 7 pixels

    lig_image_pixels_if.receiver raw,
    lig_image_pixels_if.transmitter made
);
  if (MAX_WIDTH < 2 * PIXELS || MAX_WIDTH > 32766) begin : g_rule_width
    $fatal(1, "lig_image_blur: rule width: MAX_WIDTH = %0d, %0d..32766 is needed", MAX_WIDTH, 2 * PIXELS);
  end
  if (PIXELS != 1 && PIXELS != 2 && PIXELS != 4 && PIXELS != 8) begin : g_rule_pixels
    $fatal(1, "lig_image_blur: rule pixels: PIXELS = %0d, one of 1, 2, 4, 8 is needed", PIXELS);
  end

  localparam int unsigned Log = $clog2(PIXELS);
  localparam int unsigned Words = (MAX_WIDTH + PIXELS - 1) / PIXELS;  // of a row
  localparam int unsigned Bits = $clog2(Words);
  localparam int unsigned Lag = (PIXELS + 2) / PIXELS;  // words that hold three columns
  localparam int unsigned Window = 2 * Lag + 1;
  localparam int unsigned Columns = Window * PIXELS;
  localparam int unsigned Picked = PIXELS + 6;
  typedef logic [$clog2(Columns)-1:0] pick_t;

  // --- rows that come in ----------------------------------------------------------------------------------

  logic [15:0] in_word_q, in_row_q, line_q, last_word;
  logic write;

  // Row r lies in memory r modulo 8; the result's oldest row in flight needs those from oldest - half on.
  logic [15:0] oldest, asked_line_q;
  assign last_word = (width_i - 16'd1) >> Log;
  assign raw.ready = run_i && in_row_q < height_i && in_row_q + 16'(half_i) < oldest + 16'd8;
  assign write = raw.valid && raw.ready;

  always_ff @(posedge clk_i) begin
    if (write) begin
      in_word_q <= in_word_q + 16'd1;
      if (in_word_q == last_word) begin
        in_word_q <= '0;
        in_row_q <= in_row_q + 16'd1;
      end
    end
    if (clear_i) begin
      in_word_q <= '0;
      in_row_q <= '0;
    end
  end

  // --- words in order -------------------------------------------------------------------------------------

  // Three reflections are enough for any image: its sides may be as short as one pixel.
  function automatic logic [15:0] mirrored(input logic signed [16:0] place, input logic [15:0] length);
    logic signed [16:0] at;
    at = place;
    for (int unsigned i = 0; i < 3; i++) begin
      if (at < 0) at = -at;
      else if (at >= $signed({1'b0, length})) at = $signed({length, 1'b0}) - 17'sd2 - at;
    end
    return length == 16'd1 ? '0 : at[15:0];
  endfunction

  typedef struct packed {
    logic            push;    // into the window
    logic            real_one;  // a word of the image; otherwise it pushes out the last ones
    logic [15:0]     word;
    logic [6:0][2:0] memory;  // of each of the seven rows
  } stage_t;
  stage_t asked_q, read_q;

  logic [15:0] word_q, last_row;
  logic signed [16:0] last_needed;
  logic done_q, there, pushes_out, move;
  logic [1:0] left_q;  // words to push behind the last one

  assign last_needed = $signed({1'b0, line_q}) + 17'(half_i);
  assign last_row = last_needed >= $signed({1'b0, height_i}) ? height_i - 16'd1 : last_needed[15:0];
  assign there = run_i && !done_q && in_row_q > last_row;
  assign pushes_out = done_q && left_q != '0;

  always_ff @(posedge clk_i) begin
    if (move) begin
      asked_q.push <= there || pushes_out;
      asked_q.real_one <= there;
      asked_q.word <= word_q;
      asked_line_q <= line_q;
      for (int unsigned j = 0; j < 7; j++) begin
        asked_q.memory[j] <= 3'(mirrored($signed({1'b0, line_q}) - 17'sd3 + 17'(j), height_i));
      end
      if (there) begin
        word_q <= word_q + 16'd1;
        if (word_q == last_word) begin
          word_q <= '0;
          line_q <= line_q + 16'd1;
          done_q <= line_q == height_i - 16'd1;
        end
      end
      if (pushes_out) left_q <= left_q - 1'b1;
    end
    if (clear_i) begin
      asked_q.push <= 1'b0;
      word_q <= '0;
      line_q <= '0;
      done_q <= 1'b0;
      left_q <= 2'(Lag);
    end
  end

  assign oldest = asked_q.push && asked_q.real_one ? asked_line_q : line_q;

  // --- eight memories -------------------------------------------------------------------------------------

  typedef pixel_t [PIXELS-1:0] word_t;
  word_t found[8];
  for (genvar i = 0; i < 8; i++) begin : g_row
    word_t row[Words];
    always_ff @(posedge clk_i) begin
      if (write && in_row_q[2:0] == 3'(i)) row[Bits'(in_word_q)] <= raw.pixel;
      if (move) found[i] <= row[Bits'(asked_q.word)];
    end
  end

  // --- columns --------------------------------------------------------------------------------------------

  // The weights in units of 1/256, of what is 0, 1, 2 and 3 pixels away.
  logic [3:0][7:0] weight;
  always_comb begin
    unique case (half_i)
      2'd1: weight = {8'd0, 8'd0, 8'd64, 8'd128};
      2'd2: weight = {8'd0, 8'd16, 8'd64, 8'd96};
      default: weight = {8'd8, 8'd28, 8'd56, 8'd72};
    endcase
  end

  typedef logic [3:0][15:0] sums_t;  // per channel, 8.8 bits
  sums_t [PIXELS-1:0] column_sum;
  for (genvar p = 0; p < PIXELS; p++) begin : g_sum
    for (genvar c = 0; c < 4; c++) begin : g_channel
      logic [6:0][7:0] value;
      for (genvar j = 0; j < 7; j++) begin : g_value
        assign value[j] = found[read_q.memory[j]][p][8*c+:8];
      end
      assign column_sum[p][c] = 16'(value[3]) * 16'(weight[0]) + (16'(value[2]) + 16'(value[4])) * 16'(weight[1]) +
          (16'(value[1]) + 16'(value[5])) * 16'(weight[2]) + (16'(value[0]) + 16'(value[6])) * 16'(weight[3]);
    end
  end

  // --- the window, the newest word first ------------------------------------------------------------------

  sums_t [PIXELS-1:0] window_q[Window];
  logic [15:0] place_q[Lag];  // of the words right of the middle
  logic [Lag:0] real_q;       // and the middle
  logic pushed_q;
  pick_t pick_q[Picked];  // columns of the window, from three left of the middle word on

  always_ff @(posedge clk_i) begin
    if (move) begin
      read_q <= asked_q;
      pushed_q <= read_q.push;
      if (read_q.push) begin
        window_q[0] <= column_sum;
        for (int unsigned i = 1; i < Window; i++) window_q[i] <= window_q[i-1];
        place_q[0] <= read_q.word;
        for (int unsigned i = 1; i < Lag; i++) place_q[i] <= place_q[i-1];
        real_q <= {real_q[Lag-1:0], read_q.real_one};
        for (int unsigned j = 0; j < Picked; j++) begin
          pick_q[j] <= pick_t'(mirrored($signed({1'b0, place_q[Lag-1] << Log}) + 17'(j) - 17'sd3, width_i) -
                               (place_q[Lag-1] << Log) + 16'(Lag * PIXELS));
        end
      end
    end
    if (clear_i) begin
      read_q.push <= 1'b0;
      pushed_q <= 1'b0;
      real_q <= '0;
    end
  end

  // --- the sums -------------------------------------------------------------------------------------------

  // A value, then its register: a simulator keeps apart what each line sets in one.
  sums_t picked[Picked], picked_q[Picked];
  logic picked_valid_q, mixed_valid_q;
  word_t mixed_q;

  always_comb begin
    for (int unsigned j = 0; j < Picked; j++) begin
      picked[j] = picked_q[j];
      for (int unsigned k = 0; k < Columns; k++) begin
        if (pick_q[j] == pick_t'(k)) picked[j] = window_q[Window-1-k/PIXELS][k%PIXELS];
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (move) begin
      picked_valid_q <= pushed_q && real_q[Lag];
      picked_q <= picked;
      mixed_valid_q <= picked_valid_q;
    end
    if (clear_i) begin
      picked_valid_q <= 1'b0;
      mixed_valid_q <= 1'b0;
    end
  end

  for (genvar p = 0; p < PIXELS; p++) begin : g_mix
    for (genvar c = 0; c < 4; c++) begin : g_channel
      logic [23:0] sum;
      assign sum = 24'd32768 + 24'(picked_q[p+3][c]) * 24'(weight[0]) +
          (24'(picked_q[p+2][c]) + 24'(picked_q[p+4][c])) * 24'(weight[1]) +
          (24'(picked_q[p+1][c]) + 24'(picked_q[p+5][c])) * 24'(weight[2]) +
          (24'(picked_q[p][c]) + 24'(picked_q[p+6][c])) * 24'(weight[3]);
      always_ff @(posedge clk_i) if (move) mixed_q[p][8*c+:8] <= sum[23:16];
    end
  end

  assign move = !mixed_valid_q || made.ready;
  assign made.valid = mixed_valid_q;
  assign made.pixel = mixed_q;
endmodule
