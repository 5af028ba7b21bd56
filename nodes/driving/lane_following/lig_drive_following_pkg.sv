// SPDX-License-Identifier: Apache-2.0
//
// lig_drive_following_pkg: what Lane Following computes once (from Setup on) and per frame (from Answer on), as programs
// of lig_drive_calc: search_in() and find() of lane_following_cpu.cpp, with what they call of kernels/.
// verilator lint_off UNUSEDPARAM
// A package uses none of its constants itself.
package lig_drive_following_pkg;
  import lig_drive_calc_pkg::*;

  localparam logic [7:0] Setup = 8'd0, Answer = 8'd76;

  // Values from outside; those of lengths are doubles.
  localparam logic [4:0]
      NearEdge = 5'd0, FarEdge = 5'd1, HalfWidth = 5'd2, LaneWidth = 5'd3, StripeWidth = 5'd4, LookAhead = 5'd5,
      Band = 5'd6, Height = 5'd7, Width = 5'd8, YellowFarVotes = 5'd9, YellowNearVotes = 5'd10,
      YellowFarPlaces = 5'd11, YellowNearPlaces = 5'd12, WhiteFarVotes = 5'd13, WhiteNearVotes = 5'd14,
      WhiteFarPlaces = 5'd15, WhiteNearPlaces = 5'd16;

  // What is kept for outside.
  localparam logic [6:0]
      KeepInView = 7'd0, KeepFirst = 7'd1, KeepLast = 7'd2, KeepRows = 7'd3, KeepRunFrom = 7'd4,
      KeepRunTo = 7'd5, KeepWindow = 7'd6, KeepSeen = 7'd7, KeepAhead = 7'd8, KeepAside = 7'd9;

  // Registers.
  localparam logic [4:0]
      One = 5'd0, Far = 5'd1, Left32 = 5'd2, Size = 5'd3, Rows = 5'd4, AtLeast = 5'd5, Lane = 5'd6,
      LaneFrom = 5'd7, LaneTo = 5'd8, Ahead = 5'd9, T0 = 5'd10, T1 = 5'd11, T2 = 5'd12, T3 = 5'd13, T4 = 5'd14,
      T5 = 5'd15, T6 = 5'd16, T7 = 5'd17, T8 = 5'd18, MeanY = 5'd19, VotesY = 5'd20, HasY = 5'd21,
      SideY = 5'd22, Slope = 5'd23, MeanW = 5'd24, VotesW = 5'd25, HasW = 5'd26, SideW = 5'd27, None = 5'd28;

  function automatic instruction_t following(input logic [7:0] pc);
    unique case (pc)
      // What follows from parameters and the picture's size. Lengths are Q32 m.
      8'd0: return calc(Far, Fixed, None, FarEdge, 32);
      8'd1: return calc(T0, Fixed, None, NearEdge, 32);
      8'd2: return calc(Left32, Fixed, None, HalfWidth, 32);
      8'd3: return calc(T1, Fixed, None, LookAhead, 32);
      8'd4: return calc(T1, Add, T1, T1, 0);
      8'd5: return calc(T2, Fixed, None, Band, 32);
      8'd6: return calc(T3, Subtract, T1, T2, 0);  // twice the distance of the band's near edge
      8'd7: return calc(T4, Add, T1, T2, 0);  // of its far edge
      8'd8: return calc(T5, Add, T0, T0, 0);
      8'd9: return calc(T5, Subtract, T3, T5, 0);
      8'd10: return calc(T6, Add, Far, Far, 0);
      8'd11: return calc(T7, Subtract, T6, T4, 0);
      8'd12: return calc(T5, Smaller, T5, T7, 0);
      8'd13: return calc(None, Keep, T5, None, KeepInView);
      // The band's rows: row_of() and LaneFollowing::search_in().
      8'd14: return calc(T7, Load, None, Height, 0);
      8'd15: return calc(T5, Subtract, Far, T0, 0);
      8'd16: return calc(T5, Divide, None, T7, 0);  // a row's length
      8'd17: return calc(T0, Add, T5, T5, 0);
      8'd18: return calc(T4, Subtract, T6, T4, 0);
      8'd19: return calc(T4, Floor, None, T0, 0);
      8'd20: return calc(T3, Subtract, T6, T3, 0);
      8'd21: return calc(T3, Floor, None, T0, 0);
      8'd22: return constant(One, 17'sd1);
      8'd23: return constant(T8, 17'sd0);
      8'd24: return calc(T4, Larger, T4, T8, 0);
      8'd25: return calc(T3, Smaller, T3, T7, 0);
      8'd26: return calc(T8, Add, T4, One, 0);
      8'd27: return calc(T3, Larger, T3, T8, 0);
      8'd28: return calc(None, Keep, T4, None, KeepFirst);
      8'd29: return calc(None, Keep, T3, None, KeepLast);  // one behind
      8'd30: return calc(Rows, Subtract, T3, T4, 0);
      8'd31: return calc(None, Keep, Rows, None, KeepRows);
      8'd32: return constant(T1, 17'sd1000);
      8'd33: return constant(T2, 17'sd250);
      8'd34: return calc(None, Multiply, Rows, T2, 0);
      8'd35: return calc(AtLeast, Floor, None, T1, 0);
      // The middle of the band, x ahead: GroundScale::point().
      8'd36: return calc(T8, Add, T3, T4, 0);
      8'd37: return calc(None, Left, None, None, 15);
      8'd38: return calc(T8, Right, None, None, 0);
      8'd39: return calc(None, Multiply, T8, T5, 0);
      8'd40: return calc(T8, Right, None, None, 16);
      8'd41: return calc(T8, Subtract, Far, T8, 0);
      8'd42: return calc(Ahead, Right, None, None, 16);
      // What a lane measures: lane_shape().
      8'd43: return calc(T7, Load, None, Width, 0);
      8'd44: return calc(T8, Add, Left32, Left32, 0);
      8'd45: return calc(Size, Divide, None, T7, 0);  // a column's width
      8'd46: return calc(T0, Fixed, None, LaneWidth, 32);
      8'd47: return calc(T1, Fixed, None, StripeWidth, 32);
      8'd48: return calc(None, Multiply, T0, One, 0);
      8'd49: return calc(Lane, Divide, None, Size, 0);
      8'd50: return constant(T2, 17'sd2);
      8'd51: return constant(T3, 17'sd3);
      8'd52: return calc(None, Multiply, Size, T3, 0);
      8'd53: return calc(T3, Right, None, None, 0);
      8'd54: return calc(None, Multiply, T0, T2, 0);
      8'd55: return calc(LaneFrom, Divide, None, T3, 0);
      8'd56: return constant(T3, 17'sd5);
      8'd57: return calc(None, Multiply, Size, T3, 0);
      8'd58: return calc(T3, Right, None, None, 0);
      8'd59: return constant(T4, 17'sd8);
      8'd60: return calc(None, Multiply, T0, T4, 0);
      8'd61: return calc(LaneTo, Divide, None, T3, 0);
      8'd62: return calc(None, Multiply, T1, T2, 0);
      8'd63: return calc(T4, Divide, None, T3, 0);
      8'd64: return calc(T4, Larger, T4, One, 0);
      8'd65: return calc(None, Keep, T4, None, KeepRunFrom);
      8'd66: return constant(T4, 17'sd7);
      8'd67: return calc(None, Multiply, T1, T4, 0);
      8'd68: return calc(T4, Divide, None, T3, 0);
      8'd69: return calc(T4, Larger, T4, T2, 0);
      8'd70: return calc(None, Keep, T4, None, KeepWindow);
      8'd71: return calc(T3, Add, Size, Size, 0);
      8'd72: return constant(T4, 17'sd5);
      8'd73: return calc(None, Multiply, T1, T4, 0);
      8'd74: return calc(T4, Divide, None, T3, 0);
      8'd75: return last(calc(None, Keep, T4, None, KeepRunTo));

      // The yellow stripe: StripeVotes::stripe_before(), and half a lane beside it: along_row().
      8'd76: return calc(T0, Load, None, YellowFarVotes, 0);
      8'd77: return calc(T1, Load, None, YellowNearVotes, 0);
      8'd78: return calc(T2, Larger, T0, One, 0);
      8'd79: return calc(T3, Larger, T1, One, 0);
      8'd80: return calc(T4, Load, None, YellowFarPlaces, 0);
      8'd81: return calc(None, Left, None, None, 7);
      8'd82: return calc(T5, Divide, None, T2, 0);  // mean of the far half, Q8 columns
      8'd83: return calc(T6, Load, None, YellowNearPlaces, 0);
      8'd84: return calc(None, Left, None, None, 7);
      8'd85: return calc(T7, Divide, None, T3, 0);
      8'd86: return calc(VotesY, Add, T0, T1, 0);
      8'd87: return calc(T2, Larger, VotesY, One, 0);
      8'd88: return calc(T3, Add, T4, T6, 0);
      8'd89: return calc(None, Left, None, None, 7);
      8'd90: return calc(MeanY, Divide, None, T2, 0);
      8'd91: return calc(T3, Subtract, T7, T5, 0);
      8'd92: return calc(None, Left, None, None, 9);
      8'd93: return calc(T3, Divide, None, Rows, 0);
      8'd94: return constant(T4, 17'sd2);
      8'd95: return calc(T5, Subtract, Rows, T4, 0);
      8'd96: return calc(T0, Subtract, T0, One, 0);
      8'd97: return calc(T1, Subtract, T1, One, 0);
      8'd98: return calc(T0, Smaller, T0, T1, 0);
      8'd99: return calc(T0, Smaller, T0, T5, 0);
      8'd100: return constant(Slope, 17'sd0);
      8'd101: return calc(Slope, Pick, T0, T3, 0);  // both halves voted
      8'd102: return calc(T0, Larger, AtLeast, One, 0);
      8'd103: return calc(HasY, Subtract, VotesY, T0, 0);  // negative: there is none
      8'd104: return constant(T1, 17'sd4);
      8'd105: return calc(None, Left, None, None, 16);
      8'd106: return calc(T1, Right, None, None, 0);
      8'd107: return constant(T2, 17'sd0);
      8'd108: return calc(T2, Subtract, T2, T1, 0);
      8'd109: return calc(T3, Smaller, Slope, T1, 0);
      8'd110: return calc(T3, Larger, T3, T2, 0);
      8'd111: return constant(T4, 17'sd1);
      8'd112: return calc(None, Left, None, None, 32);
      8'd113: return calc(T4, Right, None, None, 0);
      8'd114: return calc(None, Multiply, T3, T3, 0);
      8'd115: return calc(T5, Right, None, None, 0);
      8'd116: return calc(T5, Add, T5, T4, 0);
      8'd117: return calc(T5, Root, None, None, 0);
      8'd118: return constant(T6, 17'sd128);
      8'd119: return calc(None, Multiply, Lane, T6, 0);
      8'd120: return calc(T6, Right, None, None, 0);
      8'd121: return calc(None, Multiply, T6, T5, 0);
      8'd122: return calc(T6, Right, None, None, 16);
      8'd123: return calc(SideY, Add, MeanY, T6, 0);
      // The white stripe: StripeVotes::stripe_before(), and half a lane beside it: along_row().
      8'd124: return calc(T0, Load, None, WhiteFarVotes, 0);
      8'd125: return calc(T1, Load, None, WhiteNearVotes, 0);
      8'd126: return calc(T2, Larger, T0, One, 0);
      8'd127: return calc(T3, Larger, T1, One, 0);
      8'd128: return calc(T4, Load, None, WhiteFarPlaces, 0);
      8'd129: return calc(None, Left, None, None, 7);
      8'd130: return calc(T5, Divide, None, T2, 0);  // mean of the far half, Q8 columns
      8'd131: return calc(T6, Load, None, WhiteNearPlaces, 0);
      8'd132: return calc(None, Left, None, None, 7);
      8'd133: return calc(T7, Divide, None, T3, 0);
      8'd134: return calc(VotesW, Add, T0, T1, 0);
      8'd135: return calc(T2, Larger, VotesW, One, 0);
      8'd136: return calc(T3, Add, T4, T6, 0);
      8'd137: return calc(None, Left, None, None, 7);
      8'd138: return calc(MeanW, Divide, None, T2, 0);
      8'd139: return calc(T3, Subtract, T7, T5, 0);
      8'd140: return calc(None, Left, None, None, 9);
      8'd141: return calc(T3, Divide, None, Rows, 0);
      8'd142: return constant(T4, 17'sd2);
      8'd143: return calc(T5, Subtract, Rows, T4, 0);
      8'd144: return calc(T0, Subtract, T0, One, 0);
      8'd145: return calc(T1, Subtract, T1, One, 0);
      8'd146: return calc(T0, Smaller, T0, T1, 0);
      8'd147: return calc(T0, Smaller, T0, T5, 0);
      8'd148: return constant(Slope, 17'sd0);
      8'd149: return calc(Slope, Pick, T0, T3, 0);  // both halves voted
      8'd150: return calc(T0, Larger, AtLeast, One, 0);
      8'd151: return calc(HasW, Subtract, VotesW, T0, 0);  // negative: there is none
      8'd152: return constant(T1, 17'sd4);
      8'd153: return calc(None, Left, None, None, 16);
      8'd154: return calc(T1, Right, None, None, 0);
      8'd155: return constant(T2, 17'sd0);
      8'd156: return calc(T2, Subtract, T2, T1, 0);
      8'd157: return calc(T3, Smaller, Slope, T1, 0);
      8'd158: return calc(T3, Larger, T3, T2, 0);
      8'd159: return constant(T4, 17'sd1);
      8'd160: return calc(None, Left, None, None, 32);
      8'd161: return calc(T4, Right, None, None, 0);
      8'd162: return calc(None, Multiply, T3, T3, 0);
      8'd163: return calc(T5, Right, None, None, 0);
      8'd164: return calc(T5, Add, T5, T4, 0);
      8'd165: return calc(T5, Root, None, None, 0);
      8'd166: return constant(T6, 17'sd128);
      8'd167: return calc(None, Multiply, Lane, T6, 0);
      8'd168: return calc(T6, Right, None, None, 0);
      8'd169: return calc(None, Multiply, T6, T5, 0);
      8'd170: return calc(T6, Right, None, None, 16);
      8'd171: return calc(SideW, Subtract, MeanW, T6, 0);
      // Between them: centre_between().
      8'd172: return calc(T0, Subtract, MeanW, MeanY, 0);
      8'd173: return constant(T1, 17'sd256);
      8'd174: return calc(None, Multiply, LaneFrom, T1, 0);
      8'd175: return calc(T2, Right, None, None, 0);
      8'd176: return calc(None, Multiply, LaneTo, T1, 0);
      8'd177: return calc(T3, Right, None, None, 0);
      8'd178: return calc(T2, Subtract, T0, T2, 0);
      8'd179: return calc(T3, Subtract, T3, T0, 0);
      8'd180: return calc(T2, Smaller, T2, T3, 0);
      8'd181: return constant(T4, -17'sd1);
      8'd182: return calc(T2, Subtract, T4, T2, 0);  // not negative: so far apart is no lane
      8'd183: return calc(T5, Smaller, HasY, HasW, 0);
      8'd184: return calc(T2, Smaller, T2, T5, 0);
      8'd185: return calc(T3, Subtract, VotesW, VotesY, 0);
      8'd186: return calc(T3, Subtract, T3, One, 0);
      8'd187: return calc(T5, Smaller, T2, T3, 0);
      8'd188: return calc(HasY, Pick, T5, T4, 0);
      8'd189: return calc(T3, Subtract, T4, T3, 0);
      8'd190: return calc(T5, Smaller, T2, T3, 0);
      8'd191: return calc(HasW, Pick, T5, T4, 0);
      8'd192: return calc(T0, Add, MeanY, MeanW, 0);
      8'd193: return calc(T0, Right, None, None, 1);
      8'd194: return calc(T5, Smaller, HasY, HasW, 0);
      8'd195: return calc(SideW, Pick, HasY, SideY, 0);
      8'd196: return calc(SideW, Pick, T5, T0, 0);
      // To the left of the robot: GroundScale::point().
      8'd197: return constant(T0, 17'sd256);
      8'd198: return calc(None, Multiply, SideW, T0, 0);
      8'd199: return calc(T0, Right, None, None, 0);
      8'd200: return constant(T1, 17'sd32768);
      8'd201: return calc(T0, Add, T0, T1, 0);
      8'd202: return calc(None, Multiply, T0, Size, 0);
      8'd203: return calc(T0, Right, None, None, 16);
      8'd204: return calc(T0, Subtract, Left32, T0, 0);
      8'd205: return calc(T0, Right, None, None, 16);
      8'd206: return calc(T1, Larger, HasY, HasW, 0);
      8'd207: return calc(None, Keep, T1, None, KeepSeen);
      8'd208: return calc(None, Keep, Ahead, None, KeepAhead);
      8'd209: return last(calc(None, Keep, T0, None, KeepAside));
      default: return last(constant(None, 0));
    endcase
  endfunction
endpackage
// verilator lint_on UNUSEDPARAM
