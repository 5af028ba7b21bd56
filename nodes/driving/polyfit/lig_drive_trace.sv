// SPDX-License-Identifier: Apache-2.0
//
// lig_drive_trace: the runs of an image, and one stripe followed through them: StripeTrace of kernels/lane_curve.hpp.
//
// Runs are kept in the order in which they come, from the far rows to the near ones. A trace reads them backwards, so a
// row's come from right to left: of equally near ones the last is taken, the leftmost. The sums of the least squares grow
// as runs are taken. A quotient, which only a stripe with gaps needs, is the user's to compute.
//
//   latency   of a trace: 3 cycles per row, 2 per run, and 2 and a quotient per run behind a gap
//   storage   RUNS words of 24 bits
module lig_drive_trace #(
    parameter int unsigned RUNS = 16384  // of an image, of both colours; a power of two
) (
    input logic clk_i, rst_i,  // reset: synchronous, high

    input  logic        clear_i,  // of runs
    input  logic        push_i,
    input  logic        white_i,  // the colour of a run that comes, or of the trace
    input  logic [9:0]  row_i,
    input  logic [12:0] centre_i,  // twice the column
    output logic        full_o,    // runs were lost

    input logic               start_i,  // a trace; what follows is constant until its end
    input logic [10:0]        rows_i,
    input logic [15:0]        gate_i,  // half columns
    input logic signed [31:0] expected_q8_i,  // at which half column it begins

    output logic               asks_o,      // for this quotient, towards 0
    output logic signed [31:0] dividend_o,
    output logic [15:0]        divisor_o,
    input  logic               answered_i,
    input  logic signed [31:0] quotient_i,

    output logic               busy_o,  // from the next cycle on, until it is done
    output logic [9:0]         first_o,
    output logic [9:0]         last_o,
    output logic [4:0][47:0]   s_o,  // sums of t^k, t: rows below the middle row
    output logic [2:0][47:0]   x_o   // sums of t^k * x, x: half columns
);
  localparam int unsigned A = $clog2(RUNS);
  typedef struct packed {
    logic        white;
    logic [9:0]  row;
    logic [12:0] centre;
  } run_t;
  typedef enum logic [2:0] {Stand, Read, Judge, Row, Ask, Bend, Fit, Next} state_e;
  state_e state_q;

  // --- runs -----------------------------------------------------------------------------------------------

  run_t runs[RUNS];
  run_t run_q;
  logic [A:0] count_q, left_q;  // left: those that were not looked at
  always_ff @(posedge clk_i) begin
    if (push_i && !count_q[A]) runs[count_q[A-1:0]] <= '{white: white_i, row: row_i, centre: centre_i};
    run_q <= runs[A'(left_q - 1'b1)];
  end
  always_ff @(posedge clk_i) begin
    if (push_i && !count_q[A]) count_q <= count_q + 1'b1;
    if (push_i && count_q[A]) full_o <= 1'b1;
    if (rst_i || clear_i) {count_q, full_o} <= '0;
  end

  // --- the nearest run of a row ---------------------------------------------------------------------------

  logic white_q;
  logic [9:0] row_q;
  logic signed [31:0] expected_q8_q, slope_q8_q, expected, distance, moved;
  logic [15:0] gate, least_gate, skipped_q;
  logic [31:0] away_q, size;
  logic [12:0] nearest_q;
  logic is_here, steep;
  assign expected = expected_q8_q >>> 8;
  assign distance = 32'(signed'({1'b0, run_q.centre})) - expected;
  assign size = distance < 0 ? 32'(-distance) : 32'(distance);
  assign least_gate = gate_i + skipped_q / 16'd4;
  assign gate = least_gate < 16'd3 * gate_i ? least_gate : 16'd3 * gate_i;  // in columns, half of it to each side
  assign is_here = left_q != '0 && run_q.row == row_q;
  assign moved = 32'(signed'({1'b0, nearest_q, 8'd0})) - expected_q8_q;
  assign steep = slope_q8_q > 32'sd512 || slope_q8_q < -32'sd512;

  assign asks_o = state_q == Ask;
  assign dividend_o = moved;
  assign divisor_o = skipped_q + 1'b1;

  // --- sums -----------------------------------------------------------------------------------------------

  // No wider than their values are: a multiplier is as large as what it multiplies.
  logic signed [10:0] t, t_q;
  logic signed [13:0] x;
  logic signed [20:0] square_q;  // t^2
  logic signed [23:0] first_q;   // t * x
  logic signed [31:0] cube;
  logic signed [41:0] fourth;
  logic signed [34:0] second;    // t^2 * x
  assign t = 11'(signed'({1'b0, row_q})) - 11'(signed'({1'b0, rows_i[10:1]}));
  assign x = signed'({1'b0, nearest_q});
  assign cube = square_q * t_q;
  assign fourth = square_q * square_q;
  assign second = square_q * x;
  always_ff @(posedge clk_i) begin
    if (state_q == Row) begin
      t_q <= t;
      square_q <= t * t;
      first_q <= t * x;
    end
    if (state_q == Fit) begin
      s_o[0] <= s_o[0] + 48'd1;
      s_o[1] <= s_o[1] + 48'(t_q);
      s_o[2] <= s_o[2] + 48'(square_q);
      s_o[3] <= s_o[3] + 48'(cube);
      s_o[4] <= s_o[4] + 48'(fourth);
      x_o[0] <= x_o[0] + 48'(x);
      x_o[1] <= x_o[1] + 48'(first_q);
      x_o[2] <= x_o[2] + 48'(second);
    end
    if (start_i) {s_o, x_o} <= '0;
  end

  // --- row by row -----------------------------------------------------------------------------------------

  logic signed [31:0] step_q;  // of the stripe, more than expected
  assign busy_o = state_q != Stand;

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Stand: begin
        white_q <= white_i;
        row_q <= 10'(rows_i - 1'b1);
        left_q <= count_q;
        expected_q8_q <= expected_q8_i;
        slope_q8_q <= '0;
        skipped_q <= '0;
        away_q <= '1;
        if (start_i) state_q <= Read;
      end
      Read: state_q <= Judge;
      Judge: begin
        if (is_here) begin
          left_q <= left_q - 1'b1;
          state_q <= Read;
          if (run_q.white == white_q && size <= away_q) begin
            away_q <= size;
            nearest_q <= run_q.centre;
          end
        end else state_q <= Row;
      end
      Row: begin
        away_q <= '1;
        if (away_q > {15'd0, gate, 1'b0}) begin
          skipped_q <= skipped_q + 1'b1;
          expected_q8_q <= expected_q8_q + slope_q8_q;
          state_q <= Next;
        end else begin
          first_o <= row_q;
          if (s_o[0] == '0) last_o <= row_q;
          step_q <= s_o[0] == '0 ? '0 : moved;
          state_q <= s_o[0] == '0 || skipped_q == '0 ? Bend : Ask;
        end
      end
      Ask: begin
        step_q <= quotient_i;
        if (answered_i) state_q <= Bend;
      end
      // It follows slowly: a sixteenth, towards 0.
      Bend: begin
        slope_q8_q <= slope_q8_q + (step_q < 0 ? -((-step_q) >>> 4) : step_q >>> 4);
        state_q <= Fit;
      end
      Fit: begin
        skipped_q <= '0;
        expected_q8_q <= 32'(signed'({1'b0, nearest_q, 8'd0})) + slope_q8_q;
        state_q <= Next;
      end
      default: begin  // Next
        row_q <= row_q - 1'b1;
        state_q <= row_q == '0 || steep ? Stand : Read;
      end
    endcase
    if (rst_i) state_q <= Stand;
  end
endmodule
