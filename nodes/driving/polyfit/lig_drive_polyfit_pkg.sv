// SPDX-License-Identifier: Apache-2.0
//
// lig_drive_polyfit_pkg: the numbers of LaneCurveFinder (kernels/lane_curve.hpp) and of CurveFit (kernels/polynomial.hpp) as a
// program of lig_drive_calculator, 128 bits wide, behind that of lig_drive_lane_pkg.
// verilator lint_off UNUSEDPARAM
// A package uses none of its constants itself.
package lig_drive_polyfit_pkg;
  import lig_drive_calculator_pkg::*;
  import lig_drive_lane_pkg::*;

  // What the registers hold, behind those of lig_drive_lane_pkg. LeftA to LeftLast and RightA to RightLast are curves, in one
  // order.
  typedef enum register_t {
    // What the core writes: a parameter, and what it saw.
    Points = Own, Places, Votes, Dividend, Divisor, S0, S1, S2, S3, S4, X0, X1, X2, First, Last, Number,
    // What it reads.
    Gate, Start, Quotient,
    // What the program keeps of the view.
    Seen, LineRows, CurveRows, Middle,
    LeftA, LeftB, LeftC, LeftFirst, LeftLast, RightA, RightB, RightC, RightFirst, RightLast,
    // What it computes with. A curve is A, B, C.
    A, B, C, W, Side, Mode
  } register_e;

  // Of Seen, and Mode: whose curves there are.
  localparam logic signed [35:0] LeftOnly = 36'sd1;
  localparam logic signed [35:0] RightOnly = 36'sd2;
  localparam logic signed [35:0] Both = 36'sd3;

  localparam block_t NoCurve = 5'd1;  // why it stands, besides Ready

  typedef enum block_t {
    Mean,       // from here on, and Scale: what the core starts. Start, of Places and Votes
    Divide,     // Quotient
    SolveLeft,  // a curve, of the sums, First and Last; or none
    SolveRight,
    Choose,     // of which curves the points are
    Point,      // the point of this Number
    // Parts of these.
    Solve, Line, Cofactors, Determinant, Rows, Keep, KeepLeft, KeepRight, None, Apart, Fits, Longer, TakeLeft, TakeRight,
    OfLeft, OfRight, Middling, Beside, Beside2
  } block_e;

  function automatic instruction_t instruction_at(input step_t step);
    unique case (step)
      {Shaped, 4'd0}: return calc_by(Floored, Middle, Height, 1);
      {Shaped, 4'd1}: return calc_by(Truncated, LineRows, Height, 15);
      {Shaped, 4'd2}: return calc_by(Truncated, CurveRows, Height, 3);
      {Shaped, 4'd3}: return calc_by(Truncated, V, Lane, 15);
      {Shaped, 4'd4}: return calc_by(Most, Gate, V, 2);
      {Shaped, 4'd5}: return calc_by(Load, Seen, Seen, 0);
      {Shaped, 4'd6}: return halt(Ready);
      {Mean, 4'd0}: return calc_by(Times, T, Places, 128);
      {Mean, 4'd1}: return calc(Rounded, T, T, Votes);
      {Mean, 4'd2}: return calc_by(Times, Start, T, 2);
      {Mean, 4'd3}: return halt(Ready);
      {Divide, 4'd0}: return calc(Truncated, Quotient, Dividend, Divisor);
      {Divide, 4'd1}: return halt(Ready);
      // A curve: a line where the stripe is seen in few rows.
      {SolveLeft, 4'd0}: return calc_by(Load, Side, Side, LeftOnly);
      {SolveLeft, 4'd1}: return go(Solve);
      {SolveRight, 4'd0}: return calc_by(Load, Side, Side, RightOnly);
      {SolveRight, 4'd1}: return go(Solve);
      {Solve, 4'd0}: return where(WhereLess, S0, LineRows, None);
      {Solve, 4'd1}: return calc(Times, A, S0, S2);
      {Solve, 4'd2}: return calc(Times, T, S1, S1);
      {Solve, 4'd3}: return calc(Minus, A, A, T);  // c22; the line's determinant
      {Solve, 4'd4}: return calc(Minus, T, Last, First);
      {Solve, 4'd5}: return where(WhereLess, T, CurveRows, Line);
      {Solve, 4'd6}: return go(Cofactors);
      {Line, 4'd0}: return where_by(WhereLess, A, 1, None);
      {Line, 4'd1}: return calc_by(Times, W, A, 2);
      {Line, 4'd2}: return calc(Times, T, X0, S2);
      {Line, 4'd3}: return calc(Times, U, X1, S1);
      {Line, 4'd4}: return calc(Minus, T, T, U);
      {Line, 4'd5}: return calc_by(Times, T, T, 36'sd1 << 16);
      {Line, 4'd6}: return calc(Rounded, A, T, W);
      {Line, 4'd7}: return calc(Times, T, X1, S0);
      {Line, 4'd8}: return calc(Times, U, X0, S1);
      {Line, 4'd9}: return calc(Minus, T, T, U);
      {Line, 4'd10}: return calc_by(Times, T, T, 36'sd1 << 24);
      {Line, 4'd11}: return calc(Rounded, B, T, W);
      {Line, 4'd12}: return calc_by(Load, C, C, 0);
      {Line, 4'd13}: return where_by(WhereEqual, Side, LeftOnly, KeepLeft);
      {Line, 4'd14}: return go(KeepRight);
      // The cofactors c00, c01, c02, c11, c12, c22 come to be in U, V, W, B, C, A.
      {Cofactors, 4'd0}: return calc(Times, U, S4, S2);
      {Cofactors, 4'd1}: return calc(Times, T, S3, S3);
      {Cofactors, 4'd2}: return calc(Minus, U, U, T);
      {Cofactors, 4'd3}: return calc(Times, V, S3, S2);
      {Cofactors, 4'd4}: return calc(Times, T, S4, S1);
      {Cofactors, 4'd5}: return calc(Minus, V, V, T);
      {Cofactors, 4'd6}: return calc(Times, W, S3, S1);
      {Cofactors, 4'd7}: return calc(Times, T, S2, S2);
      {Cofactors, 4'd8}: return calc(Minus, W, W, T);
      {Cofactors, 4'd9}: return calc(Times, B, S4, S0);
      {Cofactors, 4'd10}: return calc(Minus, B, B, T);
      {Cofactors, 4'd11}: return calc(Times, C, S2, S1);
      {Cofactors, 4'd12}: return calc(Times, T, S3, S0);
      {Cofactors, 4'd13}: return calc(Minus, C, C, T);
      {Cofactors, 4'd14}: return go(Determinant);
      // S0 = s0 c00 + s1 c01 + s2 c02; the sums are of no use behind it.
      {Determinant, 4'd0}: return calc(Times, S0, U, S0);
      {Determinant, 4'd1}: return calc(Times, T, V, S1);
      {Determinant, 4'd2}: return calc(Plus, S0, S0, T);
      {Determinant, 4'd3}: return calc(Times, T, W, S2);
      {Determinant, 4'd4}: return calc(Plus, S0, S0, T);
      {Determinant, 4'd5}: return where_by(WhereLess, S0, 1, None);
      {Determinant, 4'd6}: return calc_by(Times, S0, S0, 2);
      // The last row first: A, then C, hold its cofactors.
      {Determinant, 4'd7}: return calc(Times, A, A, X2);
      {Determinant, 4'd8}: return calc(Times, T, C, X1);
      {Determinant, 4'd9}: return calc(Plus, A, A, T);
      {Determinant, 4'd10}: return calc(Times, T, W, X0);
      {Determinant, 4'd11}: return calc(Plus, A, A, T);
      {Determinant, 4'd12}: return calc_by(Times, A, A, 36'sd1 << 32);
      {Determinant, 4'd13}: return calc(Rounded, S4, A, S0);
      {Determinant, 4'd14}: return go(Rows);
      {Rows, 4'd0}: return calc(Times, B, B, X1);
      {Rows, 4'd1}: return calc(Times, C, C, X2);
      {Rows, 4'd2}: return calc(Plus, B, B, C);
      {Rows, 4'd3}: return calc(Times, T, V, X0);
      {Rows, 4'd4}: return calc(Plus, B, B, T);
      {Rows, 4'd5}: return calc_by(Times, B, B, 36'sd1 << 24);
      {Rows, 4'd6}: return calc(Rounded, B, B, S0);
      {Rows, 4'd7}: return calc(Times, A, U, X0);
      {Rows, 4'd8}: return calc(Times, T, V, X1);
      {Rows, 4'd9}: return calc(Plus, A, A, T);
      {Rows, 4'd10}: return calc(Times, T, W, X2);
      {Rows, 4'd11}: return calc(Plus, A, A, T);
      {Rows, 4'd12}: return calc_by(Times, A, A, 36'sd1 << 16);
      {Rows, 4'd13}: return calc(Rounded, A, A, S0);
      {Rows, 4'd14}: return calc(Load, C, C, S4);
      {Rows, 4'd15}: return go(Keep);
      {Keep, 4'd0}: return where_by(WhereEqual, Side, LeftOnly, KeepLeft);
      {Keep, 4'd1}: return go(KeepRight);
      {KeepLeft, 4'd0}: return calc(Load, LeftA, A, A);
      {KeepLeft, 4'd1}: return calc(Load, LeftB, B, B);
      {KeepLeft, 4'd2}: return calc(Load, LeftC, C, C);
      {KeepLeft, 4'd3}: return calc(Load, LeftFirst, T, First);
      {KeepLeft, 4'd4}: return calc(Load, LeftLast, T, Last);
      {KeepLeft, 4'd5}: return calc(Plus, Seen, Seen, Side);
      {KeepLeft, 4'd6}: return halt(Ready);
      {KeepRight, 4'd0}: return calc(Load, RightA, A, A);
      {KeepRight, 4'd1}: return calc(Load, RightB, B, B);
      {KeepRight, 4'd2}: return calc(Load, RightC, C, C);
      {KeepRight, 4'd3}: return calc(Load, RightFirst, T, First);
      {KeepRight, 4'd4}: return calc(Load, RightLast, T, Last);
      {KeepRight, 4'd5}: return calc(Plus, Seen, Seen, Side);
      {KeepRight, 4'd6}: return halt(Ready);
      {None, 4'd0}: return halt(NoCurve);
      // between(), beside(): First and Last become the rows that the points are spread over.
      {Choose, 4'd0}: return calc(Load, Mode, Mode, Seen);
      {Choose, 4'd1}: return where_by(WhereEqual, Seen, 0, None);
      {Choose, 4'd2}: return where_by(WhereEqual, Seen, LeftOnly, TakeLeft);
      {Choose, 4'd3}: return where_by(WhereEqual, Seen, RightOnly, TakeRight);
      {Choose, 4'd4}: return calc(Least, T, LeftLast, RightLast);
      {Choose, 4'd5}: return calc(Minus, T, T, Middle);
      {Choose, 4'd6}: return calc(Minus, A, RightA, LeftA);
      {Choose, 4'd7}: return go(Apart);
      // Each term is rounded by itself, as Polynomial::at() does.
      {Apart, 4'd0}: return calc(Times, U, RightB, T);
      {Apart, 4'd1}: return calc_by(Shifted, U, U, 8);
      {Apart, 4'd2}: return calc(Plus, A, A, U);
      {Apart, 4'd3}: return calc(Times, U, LeftB, T);
      {Apart, 4'd4}: return calc_by(Shifted, U, U, 8);
      {Apart, 4'd5}: return calc(Minus, A, A, U);
      {Apart, 4'd6}: return calc(Times, T, T, T);
      {Apart, 4'd7}: return calc(Times, U, RightC, T);
      {Apart, 4'd8}: return calc_by(Shifted, U, U, 16);
      {Apart, 4'd9}: return calc(Plus, A, A, U);
      {Apart, 4'd10}: return calc(Times, U, LeftC, T);
      {Apart, 4'd11}: return calc_by(Shifted, U, U, 16);
      {Apart, 4'd12}: return calc(Minus, A, A, U);
      {Apart, 4'd13}: return go(Fits);
      {Fits, 4'd0}: return calc_by(Times, T, LaneFrom, 65536);
      {Fits, 4'd1}: return where(WhereLess, A, T, Longer);
      {Fits, 4'd2}: return calc_by(Times, T, LaneTo, 65536);
      {Fits, 4'd3}: return where(WhereLess, T, A, Longer);
      {Fits, 4'd4}: return calc(Least, First, LeftFirst, RightFirst);
      {Fits, 4'd5}: return calc(Most, Last, LeftLast, RightLast);
      {Fits, 4'd6}: return halt(Ready);
      // They belong to different lanes: the longer one is believed.
      {Longer, 4'd0}: return calc(Minus, T, LeftLast, LeftFirst);
      {Longer, 4'd1}: return calc(Minus, U, RightLast, RightFirst);
      {Longer, 4'd2}: return where(WhereLess, T, U, TakeRight);
      {Longer, 4'd3}: return go(TakeLeft);
      {TakeLeft, 4'd0}: return calc_by(Load, Mode, Mode, LeftOnly);
      {TakeLeft, 4'd1}: return calc(Load, First, First, LeftFirst);
      {TakeLeft, 4'd2}: return calc(Load, Last, Last, LeftLast);
      {TakeLeft, 4'd3}: return halt(Ready);
      {TakeRight, 4'd0}: return calc_by(Load, Mode, Mode, RightOnly);
      {TakeRight, 4'd1}: return calc(Load, First, First, RightFirst);
      {TakeRight, 4'd2}: return calc(Load, Last, Last, RightLast);
      {TakeRight, 4'd3}: return halt(Ready);
      // spread(): which row, and of whose curve
      {Point, 4'd0}: return calc_by(Minus, U, Points, 1);
      {Point, 4'd1}: return calc_by(Most, U, U, 1);
      {Point, 4'd2}: return calc(Minus, T, Last, First);
      {Point, 4'd3}: return calc(Times, T, T, Number);
      {Point, 4'd4}: return calc(Truncated, T, T, U);
      {Point, 4'd5}: return calc(Minus, Row, Last, T);
      {Point, 4'd6}: return calc(Minus, T, Row, Middle);
      {Point, 4'd7}: return where_by(WhereEqual, Mode, LeftOnly, OfLeft);
      {Point, 4'd8}: return where_by(WhereEqual, Mode, RightOnly, OfRight);
      {Point, 4'd9}: return where(WhereLess, Row, LeftFirst, OfRight);
      {Point, 4'd10}: return where(WhereLess, LeftLast, Row, OfRight);
      {Point, 4'd11}: return where(WhereLess, Row, RightFirst, OfLeft);
      {Point, 4'd12}: return where(WhereLess, RightLast, Row, OfLeft);
      {Point, 4'd13}: return calc(Plus, Column, LeftA, RightA);
      {Point, 4'd14}: return go(Middling);
      {Middling, 4'd0}: return calc(Times, U, LeftB, T);
      {Middling, 4'd1}: return calc_by(Shifted, U, U, 8);
      {Middling, 4'd2}: return calc(Plus, Column, Column, U);
      {Middling, 4'd3}: return calc(Times, U, RightB, T);
      {Middling, 4'd4}: return calc_by(Shifted, U, U, 8);
      {Middling, 4'd5}: return calc(Plus, Column, Column, U);
      {Middling, 4'd6}: return calc(Times, T, T, T);
      {Middling, 4'd7}: return calc(Times, U, LeftC, T);
      {Middling, 4'd8}: return calc_by(Shifted, U, U, 16);
      {Middling, 4'd9}: return calc(Plus, Column, Column, U);
      {Middling, 4'd10}: return calc(Times, U, RightC, T);
      {Middling, 4'd11}: return calc_by(Shifted, U, U, 16);
      {Middling, 4'd12}: return calc(Plus, Column, Column, U);
      {Middling, 4'd13}: return calc_by(Shifted, Column, Column, 1);
      {Middling, 4'd14}: return calc_by(Times, Row, Row, 65536);
      {Middling, 4'd15}: return go(Place);
      {OfLeft, 4'd0}: return calc(Load, A, A, LeftA);
      {OfLeft, 4'd1}: return calc(Load, B, B, LeftB);
      {OfLeft, 4'd2}: return calc(Load, C, C, LeftC);
      {OfLeft, 4'd3}: return calc_by(Load, Side, Side, 32768);  // half of a lane, Q16, to the right
      {OfLeft, 4'd4}: return go(Beside);
      {OfRight, 4'd0}: return calc(Load, A, A, RightA);
      {OfRight, 4'd1}: return calc(Load, B, B, RightB);
      {OfRight, 4'd2}: return calc(Load, C, C, RightC);
      {OfRight, 4'd3}: return calc_by(Load, Side, Side, -32768);
      {OfRight, 4'd4}: return go(Beside);
      // beside_at(): V is the slope, W how far it is along the row
      {Beside, 4'd0}: return calc_by(Shifted, V, B, 8);
      {Beside, 4'd1}: return calc(Times, W, C, T);
      {Beside, 4'd2}: return calc_by(Times, W, W, 2);
      {Beside, 4'd3}: return calc_by(Shifted, W, W, 16);
      {Beside, 4'd4}: return calc(Plus, V, V, W);
      {Beside, 4'd5}: return calc_by(Least, V, V, 36'sd16 * 36'sd65536);
      {Beside, 4'd6}: return calc_by(Most, V, V, -36'sd16 * 36'sd65536);
      {Beside, 4'd7}: return calc(Times, W, V, V);
      {Beside, 4'd8}: return calc_by(Plus, W, W, 36'sd1 << 32);
      {Beside, 4'd9}: return calc_by(Root, U, W, 0);
      {Beside, 4'd10}: return calc(Times, W, Lane, Side);
      {Beside, 4'd11}: return calc_by(Times, W, W, 65536);
      {Beside, 4'd12}: return calc(Rounded, W, W, U);
      {Beside, 4'd13}: return go(Beside2);
      {Beside2, 4'd0}: return calc(Plus, Column, A, W);
      {Beside2, 4'd1}: return calc(Times, U, B, T);
      {Beside2, 4'd2}: return calc_by(Shifted, U, U, 8);
      {Beside2, 4'd3}: return calc(Plus, Column, Column, U);
      {Beside2, 4'd4}: return calc(Times, U, C, T);
      {Beside2, 4'd5}: return calc(Times, U, U, T);
      {Beside2, 4'd6}: return calc_by(Shifted, U, U, 16);
      {Beside2, 4'd7}: return calc(Plus, Column, Column, U);
      {Beside2, 4'd8}: return calc(Times, W, W, V);
      {Beside2, 4'd9}: return calc_by(Shifted, W, W, 16);
      {Beside2, 4'd10}: return calc_by(Times, Row, Row, 65536);
      {Beside2, 4'd11}: return calc(Minus, Row, Row, W);
      {Beside2, 4'd12}: return go(Place);
      default: return lane_instruction_at(step);
    endcase
  endfunction
endpackage
// verilator lint_on UNUSEDPARAM
