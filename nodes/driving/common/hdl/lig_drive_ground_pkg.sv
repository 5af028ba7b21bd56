// SPDX-License-Identifier: Apache-2.0
//
// lig_drive_ground_pkg: the numbers of kernels/ground_view.cpp as a program of lig_drive_calculator.
// verilator lint_off UNUSEDPARAM
// A package uses none of its constants itself.
package lig_drive_ground_pkg;
  import lig_drive_calculator_pkg::*;

  // What the registers hold, by the names that struct Ground of the kernel has for them. Lengths are Q32 m; those of rows
  // are times twice the number of rows.
  typedef enum register_t {
    // What the core writes: parameters, the picture's size, and what the angles become.
    NearEdge, FarEdge, HalfWidth, Above, Ahead, Pitch, HalfFov, Rows, Columns, Width, Height, Sine, Cosine, HalfSine,
    HalfCosine,
    // What it reads: the entry of a row.
    Row32, Column, Step,
    // What the program keeps. X: rows_far - twice_row * span.
    Span, X, Twice, Depth, Below, Focal, Spread, ToLeft, Middle, Base,
    // What it computes with.
    D, T, U
  } register_e;

  // Why it stands.
  localparam block_t Ready = 5'd0;
  localparam block_t NoView = 5'd1;  // the edges are in the wrong order, or behind the camera

  typedef enum block_t {
    Common,  // from here on: what the core starts. What all rows have in common
    Next,    // the entry of the next row
    // Parts of these.
    Lens, Edge, Entry, Wrong
  } block_e;

  localparam logic signed [35:0] FarthestRow = 36'sd1 << 20;

  function automatic instruction_t instruction_at(input step_t step);
    unique case ({block_e'(step.block), step.line})
      {Common, 4'd0}: return calc(Minus, Span, FarEdge, NearEdge);
      {Common, 4'd1}: return where_by(WhereLess, Span, 1, Wrong);
      {Common, 4'd2}: return calc_by(Times, Twice, Rows, 2);
      {Common, 4'd3}: return calc(Minus, X, FarEdge, Ahead);
      {Common, 4'd4}: return calc(Times, X, X, Twice);  // rows_far
      {Common, 4'd5}: return calc(Times, U, Above, Twice);  // rows_above
      {Common, 4'd6}: return calc(Times, Depth, U, Sine);
      {Common, 4'd7}: return calc_by(Shifted, Depth, Depth, 40);
      {Common, 4'd8}: return calc(Times, Below, U, Cosine);
      {Common, 4'd9}: return calc_by(Shifted, Below, Below, 40);
      {Common, 4'd10}: return go(Lens);

      {Lens, 4'd0}: return calc(Times, Focal, HalfCosine, Width);
      {Lens, 4'd1}: return calc_by(Times, Focal, Focal, 36'sd1 << 22);
      {Lens, 4'd2}: return calc_by(Times, T, HalfSine, 2);
      {Lens, 4'd3}: return calc(Rounded, Focal, Focal, T);
      {Lens, 4'd4}: return calc(Times, U, HalfWidth, Twice);
      {Lens, 4'd5}: return calc_by(Times, U, U, 2);  // rows_wide
      {Lens, 4'd6}: return calc(Times, Spread, U, Focal);
      {Lens, 4'd7}: return calc_by(Shifted, Spread, Spread, 32);
      {Lens, 4'd8}: return calc(Rounded, Spread, Spread, Columns);
      {Lens, 4'd9}: return calc_by(Minus, T, Columns, 1);
      {Lens, 4'd10}: return calc(Times, ToLeft, Spread, T);
      {Lens, 4'd11}: return calc_by(Minus, Middle, Width, 1);
      {Lens, 4'd12}: return calc_by(Times, Middle, Middle, 36'sd1 << 15);
      {Lens, 4'd13}: return calc_by(Plus, Middle, Middle, 1024);  // kRounds
      {Lens, 4'd14}: return go(Edge);

      // The depth of the near edge is at least 1 cm.
      {Edge, 4'd0}: return calc_by(Minus, Base, Height, 1);
      {Edge, 4'd1}: return calc_by(Times, Base, Base, 16);
      {Edge, 4'd2}: return calc(Times, T, Span, Twice);
      {Edge, 4'd3}: return calc(Minus, T, X, T);
      {Edge, 4'd4}: return calc(Times, T, T, Cosine);
      {Edge, 4'd5}: return calc_by(Shifted, T, T, 40);
      {Edge, 4'd6}: return calc(Plus, T, T, Depth);
      {Edge, 4'd7}: return calc_by(Times, T, T, 50);
      {Edge, 4'd8}: return calc_by(Times, U, Rows, 36'sd1 << 32);
      {Edge, 4'd9}: return where(WhereLess, T, U, Wrong);
      {Edge, 4'd10}: return calc(Minus, X, X, Span);  // the first row's middle
      {Edge, 4'd11}: return calc_by(Times, Span, Span, 2);
      {Edge, 4'd12}: return halt(Ready);
      {Wrong, 4'd0}: return halt(NoView);

      // row_at()
      {Next, 4'd0}: return calc(Times, D, X, Cosine);
      {Next, 4'd1}: return calc_by(Shifted, D, D, 40);
      {Next, 4'd2}: return calc(Plus, D, D, Depth);
      {Next, 4'd3}: return calc(Times, T, X, Sine);
      {Next, 4'd4}: return calc_by(Shifted, T, T, 40);
      {Next, 4'd5}: return calc(Minus, T, Below, T);
      {Next, 4'd6}: return calc_by(Times, T, T, 36'sd1 << 30);
      {Next, 4'd7}: return calc(Rounded, T, T, D);
      {Next, 4'd8}: return calc(Times, T, Focal, T);
      {Next, 4'd9}: return calc_by(Shifted, T, T, 47);
      {Next, 4'd10}: return calc(Plus, T, T, Base);
      {Next, 4'd11}: return calc_by(Least, T, T, FarthestRow);
      {Next, 4'd12}: return calc_by(Most, Row32, T, -FarthestRow);
      {Next, 4'd13}: return go(Entry);
      {Entry, 4'd0}: return calc_by(Times, T, ToLeft, 36'sd1 << 25);
      {Entry, 4'd1}: return calc(Rounded, T, T, D);
      {Entry, 4'd2}: return calc(Minus, Column, Middle, T);
      {Entry, 4'd3}: return calc_by(Times, T, Spread, 36'sd1 << 26);
      {Entry, 4'd4}: return calc(Rounded, Step, T, D);
      {Entry, 4'd5}: return calc(Minus, X, X, Span);
      default: return halt(Ready);
    endcase
  endfunction
endpackage
// verilator lint_on UNUSEDPARAM
