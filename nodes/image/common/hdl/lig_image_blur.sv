// SPDX-License-Identifier: Apache-2.0
//
// lig_image_blur: a stream of pixels through a Gaussian filter of 3, 5 or 7 pixels, bit by bit as cv::GaussianBlur.
//
// Eight rows are kept, one memory each. For each row of the result the columns are read in order, those beyond the
// border too, of which the address is mirrored (the border itself not repeated), as are the rows: so no place
// needs a case of its own. A column of up to seven pixels is added up with its weights, and seven such sums with theirs:
// in whole numbers, which is exact in this order as in OpenCV's, and rounded once.
//
//   latency              size / 2 + 1 rows, size / 2 columns and 5 cycles
//   initiation interval  1; a row takes size - 1 cycles more than it has pixels
//   storage              8 rows of MAX_WIDTH pixels
module lig_image_blur
  import lig_image_pkg::*;
#(
    parameter int unsigned MAX_WIDTH = 1920
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
  if (MAX_WIDTH < 2 || MAX_WIDTH > 32766) begin : g_rule_width
    $fatal(1, "lig_image_blur: rule width: MAX_WIDTH = %0d, 2..32766 is needed", MAX_WIDTH);
  end

  // --- rows that come in ----------------------------------------------------------------------------------

  localparam int unsigned Bits = $clog2(MAX_WIDTH);
  logic [15:0] in_column_q, in_row_q, line_q;
  logic write;

  // Row r lies in memory r modulo 8; the result's oldest row in flight needs those from oldest - half on.
  logic [15:0] oldest, asked_line_q;
  assign raw.ready = run_i && in_row_q < height_i && in_row_q + 16'(half_i) < oldest + 16'd8;
  assign write = raw.valid && raw.ready;

  always_ff @(posedge clk_i) begin
    if (write) begin
      in_column_q <= in_column_q + 16'd1;
      if (in_column_q == width_i - 16'd1) begin
        in_column_q <= '0;
        in_row_q <= in_row_q + 16'd1;
      end
    end
    if (clear_i) begin
      in_column_q <= '0;
      in_row_q <= '0;
    end
  end

  // --- columns in order, with those beyond the border -----------------------------------------------------

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

  logic [15:0] step_q, last_row;  // column + half
  logic signed [16:0] last_needed;
  logic done_q, there, move, last_step;

  assign last_needed = $signed({1'b0, line_q}) + 17'(half_i);
  assign last_row = last_needed >= $signed({1'b0, height_i}) ? height_i - 16'd1 : last_needed[15:0];
  assign there = run_i && !done_q && in_row_q > last_row;
  assign last_step = step_q == width_i + 16'(half_i) + 16'(half_i) - 16'd1;

  typedef struct packed {
    logic            valid;
    logic            emits;  // the window is complete
    logic [6:0][2:0] memory;  // of each of the seven rows
  } stage_t;
  stage_t asked_q, read_q;
  logic [Bits-1:0] address_q;

  always_ff @(posedge clk_i) begin
    if (move) begin
      asked_q.valid <= there;
      asked_q.emits <= step_q >= 16'(half_i) + 16'(half_i);
      asked_line_q <= line_q;
      address_q <= Bits'(mirrored($signed({1'b0, step_q}) - 17'(half_i), width_i));
      for (int unsigned j = 0; j < 7; j++) begin
        asked_q.memory[j] <= 3'(mirrored($signed({1'b0, line_q}) - 17'(half_i) + 17'(j), height_i));
      end
      if (there) begin
        step_q <= step_q + 16'd1;
        if (last_step) begin
          step_q <= '0;
          line_q <= line_q + 16'd1;
          done_q <= line_q == height_i - 16'd1;
        end
      end
    end
    if (clear_i) begin
      asked_q.valid <= 1'b0;
      step_q <= '0;
      line_q <= '0;
      done_q <= 1'b0;
    end
  end

  assign oldest = asked_q.valid ? asked_line_q : line_q;

  // --- eight memories -------------------------------------------------------------------------------------

  pixel_t found[8];
  for (genvar i = 0; i < 8; i++) begin : g_row
    pixel_t row[MAX_WIDTH];
    always_ff @(posedge clk_i) begin
      if (write && in_row_q[2:0] == 3'(i)) row[Bits'(in_column_q)] <= raw.pixel;
      if (move) found[i] <= row[address_q];
    end
  end

  // --- the sums -------------------------------------------------------------------------------------------

  // The weight of pixel j of 2 half + 1, in units of 1/256.
  function automatic logic [7:0] weight_of(input logic [1:0] half, input logic [2:0] j);
    logic [2:0] away;
    away = j > 3'(half) ? j - 3'(half) : 3'(half) - j;
    unique case ({half, away})
      5'b01_000: return 8'd128;
      5'b01_001: return 8'd64;
      5'b10_000: return 8'd96;
      5'b10_001: return 8'd64;
      5'b10_010: return 8'd16;
      5'b11_000: return 8'd72;
      5'b11_001: return 8'd56;
      5'b11_010: return 8'd28;
      5'b11_011: return 8'd8;
      default: return 8'd0;
    endcase
  endfunction

  typedef logic [3:0][15:0] sums_t;  // per channel, 8.8 bits
  sums_t column_sum, columns_q[7];
  pixel_t mixed, mixed_q;
  logic summed_q, emits_q, mixed_valid_q;

  always_comb begin
    column_sum = '0;
    for (int unsigned j = 0; j < 7; j++) begin
      for (int unsigned c = 0; c < 4; c++) begin
        column_sum[c] = column_sum[c] + 16'(found[read_q.memory[j]][8*c+:8]) * 16'(weight_of(half_i, 3'(j)));
      end
    end
    for (int unsigned c = 0; c < 4; c++) begin
      logic [23:0] sum;
      sum = 24'd32768;
      for (int unsigned j = 0; j < 7; j++) sum = sum + 24'(columns_q[j][c]) * 24'(weight_of(half_i, 3'(j)));
      mixed[8*c+:8] = sum[23:16];
    end
  end

  always_ff @(posedge clk_i) begin
    if (move) begin
      read_q <= asked_q;
      summed_q <= read_q.valid;
      emits_q <= read_q.emits;
      if (read_q.valid) begin
        columns_q[0] <= column_sum;
        for (int unsigned j = 1; j < 7; j++) columns_q[j] <= columns_q[j-1];
      end
      mixed_valid_q <= summed_q && emits_q;
      mixed_q <= mixed;
    end
    if (clear_i) begin
      read_q.valid <= 1'b0;
      summed_q <= 1'b0;
      mixed_valid_q <= 1'b0;
    end
  end

  assign move = !mixed_valid_q || made.ready;
  assign made.valid = mixed_valid_q;
  assign made.pixel = mixed_q;
endmodule
