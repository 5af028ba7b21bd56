// SPDX-License-Identifier: Apache-2.0
//
// lig_drive_lane_pkg: what Lane Following and Polyfit compute alike, as blocks of their programs (lig_drive_calculator):
// GroundScale (kernels/ground_scale.hpp) and lane_shape() (kernels/lane_search.hpp).
// verilator lint_off UNUSEDPARAM
// A package uses none of its constants itself.
package lig_drive_lane_pkg;
  import lig_drive_calculator_pkg::*;

  // What the registers hold: lengths in Q32 m, places in Q16 pixels, points in Q16 m. Those from Own on are the user's.
  typedef enum register_t {
    Near, Far, HalfWidth, LaneWidth, StripeWidth, Width, Height,        // what the user writes
    StripeFrom, StripeTo, Window, Lane, LaneFrom, LaneTo,               // lane_shape(), in pixels
    PixelLength, PixelWidth, Row, Column, PointX, PointY, T, U, V, Own
  } lane_register_e;

  localparam block_t Ready = 5'd0;  // why it stands

  // Blocks below these are the user's. Scale goes on to Shape, and that to the user's block Shaped.
  localparam block_t Shaped = 5'd28;
  localparam block_t Scale = 5'd29;  // of Width and Height
  localparam block_t Shape = 5'd30;
  localparam block_t Place = 5'd31;  // GroundScale::point() of Row and Column; stands

  function automatic instruction_t lane_instruction_at(input step_t step);
    unique case (step)
      {Scale, 4'd0}: return calc(Minus, T, Far, Near);
      {Scale, 4'd1}: return calc(Rounded, PixelLength, T, Height);
      {Scale, 4'd2}: return calc_by(Times, T, HalfWidth, 2);
      {Scale, 4'd3}: return calc(Rounded, PixelWidth, T, Width);
      // T and U become 5 and 2 pixels.
      {Scale, 4'd4}: return calc_by(Times, T, PixelWidth, 5);
      {Scale, 4'd5}: return calc_by(Times, U, PixelWidth, 2);
      {Scale, 4'd6}: return calc_by(Times, V, StripeWidth, 2);
      {Scale, 4'd7}: return calc(Rounded, V, V, T);
      {Scale, 4'd8}: return calc_by(Most, StripeFrom, V, 1);
      {Scale, 4'd9}: return calc_by(Times, V, StripeWidth, 5);
      {Scale, 4'd10}: return calc(Rounded, StripeTo, V, U);
      {Scale, 4'd11}: return go(Shape);
      {Shape, 4'd0}: return calc_by(Times, V, StripeWidth, 7);
      {Shape, 4'd1}: return calc(Rounded, V, V, T);
      {Shape, 4'd2}: return calc_by(Most, Window, V, 2);
      {Shape, 4'd3}: return calc(Rounded, Lane, LaneWidth, PixelWidth);
      {Shape, 4'd4}: return calc_by(Times, V, LaneWidth, 8);
      {Shape, 4'd5}: return calc(Rounded, LaneTo, V, T);
      {Shape, 4'd6}: return calc_by(Times, V, LaneWidth, 2);
      {Shape, 4'd7}: return calc(Plus, T, U, PixelWidth);
      {Shape, 4'd8}: return calc(Rounded, LaneFrom, V, T);
      {Shape, 4'd9}: return go(Shaped);

      {Place, 4'd0}: return calc_by(Plus, Row, Row, 32768);
      {Place, 4'd1}: return calc(Times, T, Row, PixelLength);
      {Place, 4'd2}: return calc_by(Shifted, T, T, 16);
      {Place, 4'd3}: return calc(Minus, T, Far, T);
      {Place, 4'd4}: return calc_by(Shifted, PointX, T, 16);
      {Place, 4'd5}: return calc_by(Plus, Column, Column, 32768);
      {Place, 4'd6}: return calc(Times, T, Column, PixelWidth);
      {Place, 4'd7}: return calc_by(Shifted, T, T, 16);
      {Place, 4'd8}: return calc(Minus, T, HalfWidth, T);
      {Place, 4'd9}: return calc_by(Shifted, PointY, T, 16);
      default: return halt(Ready);
    endcase
  endfunction
endpackage
// verilator lint_on UNUSEDPARAM
