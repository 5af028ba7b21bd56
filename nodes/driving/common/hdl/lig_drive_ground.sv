// SPDX-License-Identifier: Apache-2.0
//
// lig_drive_ground: where each row of the view from above comes from: GroundView::rows() of kernels/ground_view.hpp, bit by bit.
//
// All is computed by lig_drive_calc, from the parameters' doubles and the picture's size: what all rows have in common, then row
// by row. The table is kept for the next pictures of the size.
//
//   cycles   about 3000, and 830 per row, once per size of picture
//   storage  1024 rows of 126 bits, and lig_drive_calc
module lig_drive_ground
  import lig_drive_calc_pkg::*;
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
  // --- the programs ---------------------------------------------------------------------------------------

  // What Load and Fixed take, by the number that stands for a.
  localparam logic [4:0] NearEdge = 5'd0, FarEdge = 5'd1, HalfWidth = 5'd2, Above = 5'd3, Ahead = 5'd4, Pitch = 5'd5,
                         Fov = 5'd6, ViewRows = 5'd7, ViewColumns = 5'd8, PictureWidth = 5'd9, PictureHeight = 5'd10;
  // Registers, by the names that struct Ground of the kernel has for them. X: rows_far - twice_row * span.
  localparam logic [4:0] Span = 5'd0, X = 5'd1, Sine = 5'd2, Cosine = 5'd3, Depth = 5'd4, Below = 5'd5, Focal = 5'd6,
                         Spread = 5'd7, Rows = 5'd8, Columns = 5'd9, Width = 5'd10, Height = 5'd11, Twice = 5'd12,
                         Last = 5'd13, Middle = 5'd14, Base = 5'd15, Most = 5'd16, Least = 5'd17, Zero = 5'd18,
                         D = 5'd19, T = 5'd20, U = 5'd21;
  localparam logic [6:0] KeepRow = 7'd0, KeepColumn = 7'd1, KeepStep = 7'd2, KeepWrong = 7'd3;
  localparam logic [7:0] RowProgram = 8'd72;

  function automatic instruction_t program_at(input logic [7:0] pc);
    unique case (pc)
      // Lengths in Q32; those with `rows` in their name are times twice the number of rows.
      8'd0: return constant(Zero, 17'sd0);
      8'd1: return calc(T, Fixed, NearEdge, Zero, 7'd32);
      8'd2: return calc(X, Fixed, FarEdge, Zero, 7'd32);
      8'd3: return calc(Span, Subtract, X, T, 7'd0);
      8'd4: return calc(T, Fixed, Ahead, Zero, 7'd32);
      8'd5: return calc(X, Subtract, X, T, 7'd0);
      8'd6: return calc(Rows, Load, ViewRows, Zero, 7'd0);
      8'd7: return calc(Twice, Add, Rows, Rows, 7'd0);
      8'd8: return calc(T, Multiply, X, Twice, 7'd0);
      8'd9: return calc(X, Right, Zero, Zero, 7'd0);  // rows_far
      8'd10: return calc(T, Fixed, Pitch, Zero, 7'd40);
      8'd11: return calc(Sine, Turn, T, Zero, 7'd0);
      8'd12: return calc(Cosine, Right, Zero, Zero, 7'd0);
      8'd13: return calc(U, Fixed, Above, Zero, 7'd32);
      8'd14: return calc(T, Multiply, U, Twice, 7'd0);
      8'd15: return calc(U, Right, Zero, Zero, 7'd0);  // rows_above
      8'd16: return calc(T, Multiply, U, Sine, 7'd0);
      8'd17: return calc(Depth, Right, Zero, Zero, 7'd40);
      8'd18: return calc(T, Multiply, U, Cosine, 7'd0);
      8'd19: return calc(Below, Right, Zero, Zero, 7'd40);
      // A place less: half the field of view.
      8'd20: return calc(T, Fixed, Fov, Zero, 7'd39);
      8'd21: return calc(T, Turn, T, Zero, 7'd0);
      8'd22: return calc(U, Right, Zero, Zero, 7'd0);
      8'd23: return calc(Width, Load, PictureWidth, Zero, 7'd0);
      8'd24: return calc(D, Add, T, T, 7'd0);
      8'd25: return calc(T, Multiply, Width, U, 7'd0);
      8'd26: return calc(T, Left, Zero, Zero, 7'd22);
      8'd27: return calc(Focal, Divide, Zero, D, 7'd0);
      8'd28: return calc(T, Fixed, HalfWidth, Zero, 7'd32);
      8'd29: return calc(U, Add, Twice, Twice, 7'd0);
      8'd30: return calc(T, Multiply, U, T, 7'd0);
      8'd31: return calc(U, Right, Zero, Zero, 7'd0);  // rows_wide
      8'd32: return calc(Columns, Load, ViewColumns, Zero, 7'd0);
      8'd33: return calc(T, Multiply, Focal, U, 7'd0);
      8'd34: return calc(T, Right, Zero, Zero, 7'd32);
      8'd35: return calc(Spread, Divide, Zero, Columns, 7'd0);
      // What the entries are measured from.
      8'd36: return constant(T, 17'sd1);
      8'd37: return calc(Last, Subtract, Columns, T, 7'd0);
      8'd38: return constant(D, 17'sd1024);  // kRounds
      8'd39: return calc(U, Subtract, Width, T, 7'd0);
      8'd40: return calc(U, Left, Zero, Zero, 7'd15);
      8'd41: return calc(U, Right, Zero, Zero, 7'd0);
      8'd42: return calc(Middle, Add, U, D, 7'd0);
      8'd43: return calc(Height, Load, PictureHeight, Zero, 7'd0);
      8'd44: return calc(U, Subtract, Height, T, 7'd0);
      8'd45: return calc(U, Left, Zero, Zero, 7'd4);
      8'd46: return calc(Base, Right, Zero, Zero, 7'd0);
      8'd47: return constant(T, 17'sd1);
      8'd48: return calc(T, Left, Zero, Zero, 7'd20);
      8'd49: return calc(Most, Right, Zero, Zero, 7'd0);  // kFarthestRow
      8'd50: return calc(Least, Subtract, Zero, Most, 7'd0);
      // Below 0 where the near edge is less than 1 cm in front of the camera, or span is not above 0.
      8'd51: return calc(T, Multiply, Twice, Span, 7'd0);
      8'd52: return calc(U, Right, Zero, Zero, 7'd0);
      8'd53: return calc(U, Subtract, X, U, 7'd0);
      8'd54: return calc(T, Multiply, U, Cosine, 7'd0);
      8'd55: return calc(U, Right, Zero, Zero, 7'd40);
      8'd56: return calc(U, Add, U, Depth, 7'd0);
      8'd57: return constant(D, 17'sd50);
      8'd58: return calc(T, Multiply, U, D, 7'd0);
      8'd59: return calc(U, Right, Zero, Zero, 7'd0);
      8'd60: return calc(D, Add, Rows, Zero, 7'd0);
      8'd61: return calc(D, Left, Zero, Zero, 7'd32);
      8'd62: return calc(D, Right, Zero, Zero, 7'd0);
      8'd63: return calc(U, Subtract, U, D, 7'd0);
      8'd64: return constant(T, 17'sd1);
      8'd65: return calc(T, Subtract, Span, T, 7'd0);
      8'd66: return calc(U, Smaller, U, T, 7'd0);
      8'd67: return calc(U, Keep, U, Zero, KeepWrong);
      8'd68: return calc(X, Subtract, X, Span, 7'd0);
      8'd69: return last(calc(Span, Add, Span, Span, 7'd0));
      // A row.
      8'd72: return calc(T, Multiply, X, Cosine, 7'd0);
      8'd73: return calc(D, Right, Zero, Zero, 7'd40);
      8'd74: return calc(D, Add, D, Depth, 7'd0);
      8'd75: return calc(T, Multiply, X, Sine, 7'd0);
      8'd76: return calc(U, Right, Zero, Zero, 7'd40);
      8'd77: return calc(U, Subtract, Below, U, 7'd0);
      8'd78: return calc(U, Left, Zero, Zero, 7'd30);
      8'd79: return calc(T, Divide, Zero, D, 7'd0);
      8'd80: return calc(T, Multiply, Focal, T, 7'd0);
      8'd81: return calc(T, Right, Zero, Zero, 7'd47);
      8'd82: return calc(T, Add, T, Base, 7'd0);
      8'd83: return calc(T, Smaller, T, Most, 7'd0);
      8'd84: return calc(T, Larger, T, Least, 7'd0);
      8'd85: return calc(T, Keep, T, Zero, KeepRow);
      8'd86: return calc(T, Multiply, Spread, Last, 7'd0);
      8'd87: return calc(T, Left, Zero, Zero, 7'd25);
      8'd88: return calc(U, Divide, Zero, D, 7'd0);
      8'd89: return calc(U, Subtract, Middle, U, 7'd0);
      8'd90: return calc(U, Keep, U, Zero, KeepColumn);
      8'd91: return calc(T, Add, Spread, Zero, 7'd0);
      8'd92: return calc(T, Left, Zero, Zero, 7'd26);
      8'd93: return calc(T, Divide, Zero, D, 7'd0);
      8'd94: return calc(T, Keep, T, Zero, KeepStep);
      default: return last(calc(X, Subtract, X, Span, 7'd0));
    endcase
  endfunction

  // --- the calculator -------------------------------------------------------------------------------------

  logic begins, busy, keep;
  logic [7:0] pc, start_pc;
  logic [6:0] number;
  logic [63:0] value, kept;
  instruction_t instruction;
  assign instruction = program_at(pc);

  always_comb begin
    unique case (instruction.a)
      NearEdge: value = parameter_near_edge_i;
      FarEdge: value = parameter_far_edge_i;
      HalfWidth: value = parameter_half_width_i;
      Above: value = parameter_camera_height_i;
      Ahead: value = parameter_camera_ahead_i;
      Pitch: value = parameter_camera_pitch_i;
      Fov: value = parameter_camera_fov_i;
      ViewRows: value = parameter_height_i;
      ViewColumns: value = parameter_width_i;
      PictureWidth: value = 64'(width_i);
      default: value = 64'(height_i);
    endcase
  end

  lig_drive_calc calculator (
      .clk_i, .rst_i, .start_i(begins), .start_pc_i(start_pc), .busy_o(busy), .pc_o(pc), .instruction_i(instruction),
      .value_i(value), .keep_o(keep), .number_o(number), .kept_o(kept));

  // --- the table ------------------------------------------------------------------------------------------

  typedef enum logic [2:0] {Rest, Common, CommonRuns, Row, RowRuns} state_e;
  state_e state_q;
  logic known_q, wrong_q;
  logic [15:0] known_width_q, known_height_q;
  logic [9:0] row_q;
  logic same, writes;
  logic signed [21:0] row_32_q;
  logic signed [51:0] column_q16_q;
  logic [125:0] rows[1024];
  logic [125:0] found_q;

  assign same = known_q && known_width_q == width_i && known_height_q == height_i;
  assign ready_o = state_q == Rest && same;
  assign wrong_o = wrong_q;
  assign begins = state_q == Common || state_q == Row;
  assign start_pc = state_q == Common ? 8'd0 : RowProgram;
  assign writes = keep && number == KeepStep;

  always_ff @(posedge clk_i) begin
    if (writes) rows[row_q] <= {row_32_q, column_q16_q, kept[51:0]};
    found_q <= rows[row_i];
  end
  assign {row_32_o, column_q16_o, step_q16_o} = found_q;

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Rest: if (start_i && !same) state_q <= Common;
      Common: begin
        known_q <= 1'b0;
        row_q <= '0;
        state_q <= CommonRuns;
      end
      CommonRuns: if (!busy) begin
        state_q <= wrong_q ? Rest : Row;
        known_q <= wrong_q;
      end
      Row: state_q <= RowRuns;
      RowRuns: if (!busy) begin
        row_q <= row_q + 1'b1;
        state_q <= 11'(row_q) + 11'd1 == parameter_height_i[10:0] ? Rest : Row;
        known_q <= 11'(row_q) + 11'd1 == parameter_height_i[10:0];
      end
      default: ;
    endcase
    if (state_q == Common) begin
      known_width_q <= width_i;
      known_height_q <= height_i;
    end
    if (keep && number == KeepWrong) wrong_q <= kept[63];
    if (keep && number == KeepRow) row_32_q <= kept[21:0];
    if (keep && number == KeepColumn) column_q16_q <= kept[51:0];
    if (rst_i) begin
      state_q <= Rest;
      known_q <= 1'b0;
    end
  end
endmodule
