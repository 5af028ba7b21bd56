// SPDX-License-Identifier: Apache-2.0
//
// lig_drive_control_pkg: Drive of kernels/drive.hpp as a program of lig_drive_calculator. Numbers are Q16, times ns.
// verilator lint_off UNUSEDPARAM
// A package uses none of its constants itself.
package lig_drive_control_pkg;
  import lig_drive_calculator_pkg::*;

  // What the registers hold. All are 0 after a reset.
  typedef enum register_t {
    // What the core writes: parameters, a message's stamp, and how many points are around the goal (0: no lane; 1: it is
    // B; 2: between A and B).
    Cruise, LookAhead, SlowInCurves, Acceleration, Deceleration, TurnLimit, SlowMs, StopMs, DelayMs,
    Sec, Nanosec, Points, AX, AY, BX, BY, Stamp, IsRed,
    // What it reads, besides Stamp.
    Due, Speed, Turn,
    // What the program keeps. A time counts if the flag in front of it is 1.
    SlowAfter, StopAfter, Delay, Curvature, AnyFrame, Frame, AnySeen, Seen, AnyHeard, Heard, AnyNow, Now,
    // What it computes with.
    Age, Interval, T, U, GoalX, GoalY
  } register_e;

  // A lane, by the points around the goal, as the registers have them.
  typedef struct packed {
    logic [1:0]         points;
    logic signed [27:0] ax;
    logic signed [27:0] ay;
    logic signed [27:0] bx;
    logic signed [27:0] by;
  } lane_t;

  // Why it stands.
  localparam block_t Skip = 5'd0;     // nothing follows
  localparam block_t Ready = 5'd1;    // what was asked for is there
  localparam block_t Anew = 5'd2;     // the same, and all earlier events are forgotten
  localparam block_t Publish = 5'd3;  // Speed and Turn are there

  typedef enum block_t {
    SetUp,    // from here on: what the core starts. The parameters
    OnMessage,  // Stamp, of Sec and Nanosec
    OnLight,  // an event: the same, if it is not of another run
    Need,     // of a frame with Stamp, Due: events up to there hold
    OnLane,   // behind that, with its lane: whether the frame counts
    OnFrame,  // behind that, with IsRed: the command
    OnTick,   // the time is Sec and Nanosec: a command where frames stay away
    // Parts of these.
    Restart, Later, First, Bend, Straight, Seeing, Ask, AskAnew, Hear, Wait, Unseen, Command, Fade, Stop, Ramp, Still, Turning,
    End, Taken
  } block_e;

  localparam logic signed [35:0] Second = 36'sd1_000_000_000;
  localparam logic signed [35:0] Millisecond = 36'sd1_000_000;
  localparam logic signed [35:0] LongestStep = 36'sd100_000_000;
  localparam logic signed [35:0] One = 36'sd65_536;
  localparam logic signed [35:0] Nearest = 36'sd429_497;  // 1 cm squared, Q32

  function automatic instruction_t instruction_at(input step_t step);
    unique case ({block_e'(step.block), step.line})
      {SetUp, 4'd0}: return calc_by(Times, SlowAfter, SlowMs, Millisecond);
      {SetUp, 4'd1}: return calc_by(Times, StopAfter, StopMs, Millisecond);
      {SetUp, 4'd2}: return calc_by(Times, Delay, DelayMs, Millisecond);
      {SetUp, 4'd3}: return halt(Skip);

      {OnMessage, 4'd0}: return calc_by(Times, Stamp, Sec, Second);
      {OnMessage, 4'd1}: return calc(Plus, Stamp, Stamp, Nanosec);
      {OnMessage, 4'd2}: return halt(Ready);

      // An event from the future is of another run.
      {OnLight, 4'd0}: return calc_by(Times, Stamp, Sec, Second);
      {OnLight, 4'd1}: return calc(Plus, Stamp, Stamp, Nanosec);
      {OnLight, 4'd2}: return where_by(WhereEqual, AnyFrame, 0, Taken);
      {OnLight, 4'd3}: return calc_by(Plus, T, Frame, Second);
      {OnLight, 4'd4}: return where(WhereLess, T, Stamp, End);
      {OnLight, 4'd5}: return halt(Ready);

      {Need, 4'd0}: return calc(Minus, Due, Stamp, Delay);
      {Need, 4'd1}: return halt(Ready);

      // Repeated and late frames change nothing; one that is far older begins anew.
      {OnLane, 4'd0}: return calc_by(Load, Interval, Interval, 0);
      {OnLane, 4'd1}: return calc_by(Load, U, U, 0);  // whether it begins anew
      {OnLane, 4'd2}: return where_by(WhereEqual, AnyFrame, 0, First);
      {OnLane, 4'd3}: return calc(Minus, T, Frame, Stamp);
      {OnLane, 4'd4}: return where_by(WhereLess, T, 0, Later);
      {OnLane, 4'd5}: return calc_by(Minus, T, T, Second);
      {OnLane, 4'd6}: return where_by(WhereLess, T, 1, End);
      {OnLane, 4'd7}: return go(Restart);

      {Restart, 4'd0}: return calc_by(Load, AnySeen, AnySeen, 0);
      {Restart, 4'd1}: return calc_by(Load, Speed, Speed, 0);
      {Restart, 4'd2}: return calc_by(Load, U, U, 1);
      {Restart, 4'd3}: return go(First);

      {Later, 4'd0}: return calc_by(Times, Interval, T, -1);
      {Later, 4'd1}: return go(First);

      {First, 4'd0}: return calc_by(Load, AnyFrame, AnyFrame, 1);
      {First, 4'd1}: return calc(Load, Frame, Frame, Stamp);
      {First, 4'd2}: return calc(Load, AnyHeard, AnyHeard, AnyNow);
      {First, 4'd3}: return calc(Load, Heard, Heard, Now);
      {First, 4'd4}: return where_by(WhereEqual, Points, 0, Ask);
      {First, 4'd5}: return calc(Load, GoalX, GoalX, BX);
      {First, 4'd6}: return calc(Load, GoalY, GoalY, BY);
      {First, 4'd7}: return where_by(WhereEqual, Points, 1, Bend);
      {First, 4'd8}: return calc(Minus, T, LookAhead, AX);
      {First, 4'd9}: return calc(Minus, GoalY, BY, AY);
      {First, 4'd10}: return calc(Times, T, GoalY, T);
      {First, 4'd11}: return calc(Minus, GoalX, BX, AX);
      {First, 4'd12}: return calc(Rounded, T, T, GoalX);
      {First, 4'd13}: return calc(Plus, GoalY, AY, T);
      {First, 4'd14}: return calc(Load, GoalX, GoalX, LookAhead);
      {First, 4'd15}: return go(Bend);

      // 2 y / (x^2 + y^2)
      {Bend, 4'd0}: return calc(Times, T, GoalX, GoalX);
      {Bend, 4'd1}: return calc(Times, GoalX, GoalY, GoalY);
      {Bend, 4'd2}: return calc(Plus, T, T, GoalX);
      {Bend, 4'd3}: return where_by(WhereLess, T, Nearest, Straight);
      {Bend, 4'd4}: return calc_by(Times, GoalY, GoalY, 36'sd1 << 33);
      {Bend, 4'd5}: return calc(Rounded, Curvature, GoalY, T);
      {Bend, 4'd6}: return go(Seeing);

      {Straight, 4'd0}: return calc_by(Load, Curvature, Curvature, 0);
      {Straight, 4'd1}: return go(Seeing);

      {Seeing, 4'd0}: return calc_by(Load, AnySeen, AnySeen, 1);
      {Seeing, 4'd1}: return calc(Load, Seen, Seen, Stamp);
      {Seeing, 4'd2}: return go(Ask);

      {Ask, 4'd0}: return where_by(WhereEqual, U, 1, AskAnew);
      {Ask, 4'd1}: return halt(Ready);
      {AskAnew, 4'd0}: return halt(Anew);

      // The age of the lane; where none was seen, it is as old as where the robot stands.
      {OnFrame, 4'd0}: return calc(Load, Age, Age, StopAfter);
      {OnFrame, 4'd1}: return where_by(WhereEqual, AnySeen, 0, Command);
      {OnFrame, 4'd2}: return calc(Minus, Age, Stamp, Seen);
      {OnFrame, 4'd3}: return go(Command);

      {OnTick, 4'd0}: return calc_by(Times, T, Sec, Second);
      {OnTick, 4'd1}: return calc(Plus, T, T, Nanosec);
      {OnTick, 4'd2}: return calc(Minus, Interval, T, Now);
      {OnTick, 4'd3}: return calc(Times, Interval, Interval, AnyNow);
      {OnTick, 4'd4}: return calc(Load, Now, Now, T);
      {OnTick, 4'd5}: return calc_by(Load, AnyNow, AnyNow, 1);
      {OnTick, 4'd6}: return where_by(WhereEqual, AnyHeard, 0, Hear);
      {OnTick, 4'd7}: return where(WhereLess, Now, Heard, Hear);
      {OnTick, 4'd8}: return go(Wait);

      // Nothing was heard yet, or the clock went back: silence begins now.
      {Hear, 4'd0}: return calc(Load, Heard, Heard, Now);
      {Hear, 4'd1}: return calc_by(Load, AnyHeard, AnyHeard, 1);
      {Hear, 4'd2}: return go(Wait);

      {Wait, 4'd0}: return calc(Minus, T, Now, Heard);
      {Wait, 4'd1}: return calc_by(Plus, U, SlowAfter, 1);
      {Wait, 4'd2}: return where(WhereLess, T, U, End);
      {Wait, 4'd3}: return where_by(WhereEqual, AnySeen, 0, Unseen);
      {Wait, 4'd4}: return calc(Minus, Age, Frame, Seen);
      {Wait, 4'd5}: return calc(Plus, Age, Age, T);
      {Wait, 4'd6}: return go(Command);
      {Unseen, 4'd0}: return calc(Plus, Age, StopAfter, T);
      {Unseen, 4'd1}: return go(Command);

      // In curves, slower.
      {Command, 4'd0}: return calc_by(Most, Interval, Interval, 0);
      {Command, 4'd1}: return calc_by(Least, Interval, Interval, LongestStep);
      {Command, 4'd2}: return calc_by(Size, T, Curvature, 0);
      {Command, 4'd3}: return calc(Times, T, T, SlowInCurves);
      {Command, 4'd4}: return calc_by(Shifted, T, T, 16);
      {Command, 4'd5}: return calc_by(Plus, T, T, One);
      {Command, 4'd6}: return calc_by(Times, U, Cruise, One);
      {Command, 4'd7}: return calc(Rounded, T, U, T);
      {Command, 4'd8}: return where_by(WhereEqual, IsRed, 1, Stop);
      {Command, 4'd9}: return where(WhereLess, SlowAfter, Age, Fade);
      {Command, 4'd10}: return go(Ramp);

      // What the age of the lane allows.
      {Fade, 4'd0}: return calc(Minus, U, StopAfter, Age);
      {Fade, 4'd1}: return where_by(WhereLess, U, 1, Stop);
      {Fade, 4'd2}: return calc(Times, T, U, T);
      {Fade, 4'd3}: return calc(Minus, U, StopAfter, SlowAfter);
      {Fade, 4'd4}: return calc(Truncated, T, T, U);
      {Fade, 4'd5}: return go(Ramp);

      {Stop, 4'd0}: return calc_by(Load, T, T, 0);
      {Stop, 4'd1}: return go(Ramp);

      {Ramp, 4'd0}: return calc(Times, U, Interval, Deceleration);
      {Ramp, 4'd1}: return calc_by(Truncated, U, U, Second);
      {Ramp, 4'd2}: return calc(Minus, U, Speed, U);
      {Ramp, 4'd3}: return calc_by(Most, U, U, 0);
      {Ramp, 4'd4}: return calc(Most, T, T, U);
      {Ramp, 4'd5}: return calc(Times, U, Interval, Acceleration);
      {Ramp, 4'd6}: return calc_by(Truncated, U, U, Second);
      {Ramp, 4'd7}: return calc(Plus, U, Speed, U);
      {Ramp, 4'd8}: return calc_by(Most, U, U, 0);
      {Ramp, 4'd9}: return calc(Least, Speed, T, U);
      {Ramp, 4'd10}: return where(WhereLess, Age, StopAfter, Turning);
      {Ramp, 4'd11}: return go(Still);

      // Without a lane nobody knows what lies ahead.
      {Still, 4'd0}: return calc_by(Load, Speed, Speed, 0);
      {Still, 4'd1}: return go(Turning);

      {Turning, 4'd0}: return calc(Times, Turn, Curvature, Speed);
      {Turning, 4'd1}: return calc_by(Shifted, Turn, Turn, 16);
      {Turning, 4'd2}: return calc_by(Times, T, TurnLimit, -1);
      {Turning, 4'd3}: return calc(Most, Turn, Turn, T);
      {Turning, 4'd4}: return calc(Least, Turn, Turn, TurnLimit);
      {Turning, 4'd5}: return halt(Publish);

      {Taken, 4'd0}: return halt(Ready);
      default: return halt(Skip);
    endcase
  endfunction
endpackage
// verilator lint_on UNUSEDPARAM
