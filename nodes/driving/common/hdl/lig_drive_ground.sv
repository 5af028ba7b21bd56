// SPDX-License-Identifier: Apache-2.0
//
// lig_drive_ground: where each row of the view from above comes from: GroundView::rows() of kernels/ground_view.hpp, bit by bit.
//
// All is computed by lig_drive_calculator (lig_drive_ground_pkg), from the parameters' doubles and the picture's size: what all
// rows have in common, then row by row. The table is kept for the next pictures of the size.
//
//   cycles   about 1000, and 700 per row, once per size of picture
//   storage  1024 rows of 126 bits, and the calculator's registers
module lig_drive_ground
  import lig_drive_calculator_pkg::*;
  import lig_drive_ground_pkg::*;
(
    input logic clk_i, rst_i,  // reset: synchronous, high

    input  logic        start_i,  // one cycle: the size is valid from now on
    input  logic [15:0] width_i,  // of the picture
    input  logic [15:0] height_i,
    output logic        ready_o,  // the table is that of this size
    output logic        wrong_o,  // and there is no such view: the edges are in the wrong order, or behind the camera

    input logic [63:0] parameter_near_edge_i, parameter_far_edge_i, parameter_half_width_i,  // doubles
    input logic [63:0] parameter_width_i, parameter_height_i,                                // of the view; height to 1024
    input logic [63:0] parameter_camera_height_i, parameter_camera_ahead_i,                  // doubles
    input logic [63:0] parameter_camera_pitch_i, parameter_camera_fov_i,

    // An entry, one cycle behind its number.
    input  logic [9:0]         row_i,
    output logic signed [21:0] row_32_o,      // in 1/32 pixel
    output logic signed [51:0] column_q16_o,  // of the first pixel, and 1/64 pixel
    output logic signed [51:0] step_q16_o     // from pixel to pixel
);
  // Begin: Loading the registers; turn by both angles (Angle, Turning), and Put their sines and cosines; Run the program:
  // what is common, then row by row, whose entry is read (Get).
  typedef enum logic [3:0] {
    Rest, Begin, Loading, Angle, Turning, PutSine, PutCosine, Run, Running, GetRow, GetColumn, GetStep
  } state_e;
  state_e state_q;
  logic half_q;    // the angle is half the field of view
  logic common_q;  // what runs: what is common to all rows

  // Simulators: all but the reading of the table stands still between pictures of the same size.
  logic clk;
  lig_gate gate (.clk_i, .rst_i, .wake_i(start_i || state_q != Rest), .clk_o(clk));

  // --- numbers --------------------------------------------------------------------------------------------

  // Of products of a step and a row's columns.
  localparam int unsigned Bits = 104;
  logic busy, loading, loads, turned, write;
  block_t why;
  step_t step;
  register_t loaded, place;
  logic signed [63:0] loaded_value, sine, cosine;
  logic signed [Bits-1:0] given, value;
  lig_drive_calculator #(.WIDTH(Bits)) calculator (
      .clk_i(clk), .rst_i, .start_i(state_q == Run), .start_at_i(common_q ? Common : Next), .busy_o(busy), .why_o(why), .step_o(step),
      .instruction_i(instruction_at(step)), .write_i(write), .register_i(place), .value_i(given), .value_o(value));

  // Degrees in Q40; a place less halves the field of view.
  lig_drive_load #(
      .COUNT(11),
      .REGISTERS({NearEdge, FarEdge, HalfWidth, Above, Ahead, Pitch, HalfFov, Rows, Columns, Width, Height}),
      .BITS({{5{6'd32}}, 6'd40, 6'd39, {4{Whole}}})) load (
      .clk_i(clk), .rst_i, .start_i(state_q == Begin),
      .values_i({
          parameter_near_edge_i, parameter_far_edge_i, parameter_half_width_i, parameter_camera_height_i,
          parameter_camera_ahead_i, parameter_camera_pitch_i, parameter_camera_fov_i, parameter_height_i, parameter_width_i,
          64'(width_i), 64'(height_i)}),
      .busy_o(loading), .write_o(loads), .register_o(loaded), .value_o(loaded_value));
  lig_drive_turn rotate (
      .clk_i(clk), .rst_i, .start_i(state_q == Angle), .degrees_i(value[63:0]), .done_o(turned), .sine_o(sine), .cosine_o(cosine));

  assign write = loads || state_q inside {PutSine, PutCosine};
  always_comb begin
    place = loaded;
    given = Bits'(loaded_value);
    unique case (state_q)
      Angle: place = half_q ? HalfFov : Pitch;
      PutSine: begin
        place = half_q ? HalfSine : Sine;
        given = Bits'(sine);
      end
      PutCosine: begin
        place = half_q ? HalfCosine : Cosine;
        given = Bits'(cosine);
      end
      GetRow: place = Row32;
      GetColumn: place = Column;
      GetStep: place = Step;
      default: ;
    endcase
  end

  // --- the table ------------------------------------------------------------------------------------------

  logic known_q, wrong_q, same, last_row;
  logic [15:0] known_width_q, known_height_q;
  logic [9:0] row_q;
  logic signed [21:0] row_32_q;
  logic signed [51:0] column_q16_q;
  logic [125:0] rows[1024];
  logic [125:0] found_q;

  assign same = known_q && known_width_q == width_i && known_height_q == height_i;
  assign last_row = 11'(row_q) + 11'd1 == parameter_height_i[10:0];
  assign ready_o = state_q == Rest && same;
  assign wrong_o = wrong_q;

  always_ff @(posedge clk) if (state_q == GetStep) rows[row_q] <= {row_32_q, column_q16_q, value[51:0]};
  always_ff @(posedge clk_i) found_q <= rows[row_i];
  assign {row_32_o, column_q16_o, step_q16_o} = found_q;

  always_ff @(posedge clk) begin
    unique case (state_q)
      Rest: if (start_i && !same) state_q <= Begin;
      Begin: begin
        known_q <= 1'b0;
        known_width_q <= width_i;
        known_height_q <= height_i;
        row_q <= '0;
        half_q <= 1'b0;
        common_q <= 1'b1;
        state_q <= Loading;
      end
      Loading: if (!loading) state_q <= Angle;
      Angle: state_q <= Turning;
      Turning: if (turned) state_q <= PutSine;
      PutSine: state_q <= PutCosine;
      PutCosine: begin
        half_q <= 1'b1;
        state_q <= half_q ? Run : Angle;
      end
      Run: state_q <= Running;
      Running: begin
        if (!busy) begin
          common_q <= 1'b0;
          if (common_q) begin
            wrong_q <= why == NoView;
            known_q <= why == NoView;
          end
          state_q <= !common_q ? GetRow : why == NoView ? Rest : Run;
        end
      end
      GetRow: begin
        row_32_q <= value[21:0];
        state_q <= GetColumn;
      end
      GetColumn: begin
        column_q16_q <= value[51:0];
        state_q <= GetStep;
      end
      default: begin  // GetStep
        row_q <= row_q + 1'b1;
        known_q <= last_row;
        state_q <= last_row ? Rest : Run;
      end
    endcase
    if (rst_i) begin
      state_q <= Rest;
      known_q <= 1'b0;
    end
  end
endmodule
