// SPDX-License-Identifier: Apache-2.0
//
// lig_drive_following_pkg: what Lane Following computes once per size of picture and once per frame, as a program of
// lig_drive_calculator: LaneSearch and LaneBand (kernels/lane_search.hpp), centre_between() (kernels/lane_centre.hpp).
// verilator lint_off UNUSEDPARAM
// A package uses none of its constants itself.
package lig_drive_following_pkg;
  import lig_drive_calculator_pkg::*;
  import lig_drive_lane_pkg::*;

  // What the registers hold, behind those of lig_drive_lane_pkg. Columns are in Q8, slopes in Q16 columns per row.
  typedef enum register_t {
    LookAhead = Own, Band,                          // parameters, Q32
    FarVotes, NearVotes, FarPlaces, NearPlaces,     // what the core writes, of one colour
    FirstRow, EndRow, Rows,                         // what it reads: the band
    AtLeast, YellowMean, YellowBeside, YellowVotes, // what the program keeps
    Mean, Beside, Votes, Slope, Side                // what it computes with, of one colour
  } register_e;

  // Why it stands, besides Ready.
  localparam block_t Outside = 5'd1;  // the band is
  localparam block_t NoLane = 5'd2;

  typedef enum block_t {
    OnYellow,  // from here on, and Scale: what the core starts. The votes of the yellow stripe
    OnWhite,   // behind that, of the white one; and the lane's middle
    // Parts of these.
    Limits, Away, Stripe, Slant, Along, Aside, NoStripe, KeepYellow, Between, Fewer, OnlyYellow, OnlyWhite, Middle, None
  } block_e;

  localparam logic signed [35:0] Steepest = 36'sd4 << 16;

  function automatic instruction_t instruction_at(input step_t step);
    unique case (step)
      // LaneBand::lies_in(): U and V are twice the distances of its near and its far edge.
      {Shaped, 4'd0}: return calc_by(Times, T, LookAhead, 2);
      {Shaped, 4'd1}: return calc(Minus, U, T, Band);
      {Shaped, 4'd2}: return calc(Plus, V, T, Band);
      {Shaped, 4'd3}: return calc_by(Times, T, Near, 2);
      {Shaped, 4'd4}: return where(WhereLess, U, T, Away);
      {Shaped, 4'd5}: return calc_by(Times, T, Far, 2);
      {Shaped, 4'd6}: return where(WhereLess, T, V, Away);
      // first_row(), end_row()
      {Shaped, 4'd7}: return calc(Minus, V, T, V);
      {Shaped, 4'd8}: return calc(Minus, U, T, U);
      {Shaped, 4'd9}: return calc_by(Times, T, PixelLength, 2);
      {Shaped, 4'd10}: return calc(Truncated, FirstRow, V, T);
      {Shaped, 4'd11}: return calc(Truncated, EndRow, U, T);
      {Shaped, 4'd12}: return go(Limits);
      {Limits, 4'd0}: return calc(Least, EndRow, EndRow, Height);
      {Limits, 4'd1}: return calc_by(Plus, T, FirstRow, 1);
      {Limits, 4'd2}: return calc(Most, EndRow, EndRow, T);
      {Limits, 4'd3}: return calc(Minus, Rows, EndRow, FirstRow);
      {Limits, 4'd4}: return calc_by(Floored, AtLeast, Rows, 2);  // 250 of 1000
      {Limits, 4'd5}: return calc_by(Most, AtLeast, AtLeast, 1);
      {Limits, 4'd6}: return halt(Ready);
      {Away, 4'd0}: return halt(Outside);

      // To the right of the yellow stripe, to the left of the white one.
      {OnYellow, 4'd0}: return calc_by(Load, Side, Side, 1);
      {OnYellow, 4'd1}: return go(Stripe);
      {OnWhite, 4'd0}: return calc_by(Load, Side, Side, -1);
      {OnWhite, 4'd1}: return go(Stripe);

      // StripeVotes::stripe_before()
      {Stripe, 4'd0}: return calc(Plus, Votes, FarVotes, NearVotes);
      {Stripe, 4'd1}: return where(WhereLess, Votes, AtLeast, NoStripe);
      {Stripe, 4'd2}: return calc(Plus, T, FarPlaces, NearPlaces);
      {Stripe, 4'd3}: return calc_by(Times, T, T, 128);
      {Stripe, 4'd4}: return calc(Rounded, Mean, T, Votes);
      {Stripe, 4'd5}: return calc_by(Load, Slope, Slope, 0);
      {Stripe, 4'd6}: return where_by(WhereEqual, FarVotes, 0, Along);
      {Stripe, 4'd7}: return where_by(WhereEqual, NearVotes, 0, Along);
      {Stripe, 4'd8}: return where_by(WhereEqual, Rows, 1, Along);
      {Stripe, 4'd9}: return go(Slant);
      {Slant, 4'd0}: return calc_by(Times, T, NearPlaces, 128);
      {Slant, 4'd1}: return calc(Rounded, T, T, NearVotes);
      {Slant, 4'd2}: return calc_by(Times, U, FarPlaces, 128);
      {Slant, 4'd3}: return calc(Rounded, U, U, FarVotes);
      {Slant, 4'd4}: return calc(Minus, T, T, U);
      {Slant, 4'd5}: return calc_by(Times, T, T, 512);
      {Slant, 4'd6}: return calc(Rounded, Slope, T, Rows);
      {Slant, 4'd7}: return go(Along);

      // along_row() of half a lane
      {Along, 4'd0}: return calc_by(Least, Slope, Slope, Steepest);
      {Along, 4'd1}: return calc_by(Most, Slope, Slope, -Steepest);
      {Along, 4'd2}: return calc(Times, T, Slope, Slope);
      {Along, 4'd3}: return calc_by(Plus, T, T, 36'sd1 << 32);
      {Along, 4'd4}: return calc_by(Root, T, T, 0);
      {Along, 4'd5}: return calc_by(Times, U, Lane, 128);
      {Along, 4'd6}: return calc(Times, T, U, T);
      {Along, 4'd7}: return calc_by(Shifted, T, T, 16);
      {Along, 4'd8}: return calc(Times, T, T, Side);
      {Along, 4'd9}: return calc(Plus, Beside, Mean, T);
      {Along, 4'd10}: return go(Aside);
      {NoStripe, 4'd0}: return calc_by(Load, Votes, Votes, 0);
      {NoStripe, 4'd1}: return go(Aside);
      {Aside, 4'd0}: return where_by(WhereEqual, Side, 1, KeepYellow);
      {Aside, 4'd1}: return go(Between);
      {KeepYellow, 4'd0}: return calc(Load, YellowMean, Mean, Mean);
      {KeepYellow, 4'd1}: return calc(Load, YellowBeside, Beside, Beside);
      {KeepYellow, 4'd2}: return calc(Load, YellowVotes, Votes, Votes);
      {KeepYellow, 4'd3}: return halt(Ready);

      // centre_between(): two whose distance no lane has, and the one with fewer votes goes.
      {Between, 4'd0}: return where_by(WhereEqual, Votes, 0, OnlyYellow);
      {Between, 4'd1}: return where_by(WhereEqual, YellowVotes, 0, OnlyWhite);
      {Between, 4'd2}: return calc(Minus, T, Mean, YellowMean);
      {Between, 4'd3}: return calc_by(Times, U, LaneFrom, 256);
      {Between, 4'd4}: return where(WhereLess, T, U, Fewer);
      {Between, 4'd5}: return calc_by(Times, U, LaneTo, 256);
      {Between, 4'd6}: return where(WhereLess, U, T, Fewer);
      {Between, 4'd7}: return calc(Plus, T, YellowMean, Mean);
      {Between, 4'd8}: return calc_by(Shifted, T, T, 1);
      {Between, 4'd9}: return go(Middle);
      {Fewer, 4'd0}: return where(WhereLess, YellowVotes, Votes, OnlyWhite);
      {Fewer, 4'd1}: return go(OnlyYellow);
      {OnlyYellow, 4'd0}: return where_by(WhereEqual, YellowVotes, 0, None);
      {OnlyYellow, 4'd1}: return calc(Load, T, T, YellowBeside);
      {OnlyYellow, 4'd2}: return go(Middle);
      {OnlyWhite, 4'd0}: return calc(Load, T, T, Beside);
      {OnlyWhite, 4'd1}: return go(Middle);
      {None, 4'd0}: return halt(NoLane);

      // LaneSearch::find(): in the middle of the band
      {Middle, 4'd0}: return calc_by(Times, Column, T, 256);
      {Middle, 4'd1}: return calc(Plus, Row, FirstRow, EndRow);
      {Middle, 4'd2}: return calc_by(Minus, Row, Row, 1);
      {Middle, 4'd3}: return calc_by(Times, Row, Row, 36'sd1 << 15);
      {Middle, 4'd4}: return go(Place);
      default: return lane_instruction_at(step);
    endcase
  endfunction
endpackage
// verilator lint_on UNUSEDPARAM
