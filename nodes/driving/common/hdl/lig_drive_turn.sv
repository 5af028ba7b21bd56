// SPDX-License-Identifier: Apache-2.0
//
// lig_drive_turn: sine and cosine of an angle (sine_cosine() of kernels/turn.hpp).
//
// Volder's rotation: one turn per two cycles by the angle whose tangent is 2^-i: what is added, and the sum.
//
//   latency  start_i to done_o: 85 cycles; results stay until the next start
//   storage  six numbers of 50 bits, a table of 42 angles
module lig_drive_turn (
    input logic clk_i, rst_i,  // reset: synchronous, high

    input  logic               start_i,
    input  logic signed [63:0] degrees_i,  // Q40, -90 ... 90
    output logic               done_o,     // one cycle
    output logic signed [63:0] sine_o,     // Q40
    output logic signed [63:0] cosine_o
);
  typedef logic signed [49:0] number_t;
  localparam int unsigned Steps = 42;
  localparam number_t Shrink = 50'sd667681663043;

  // Degrees in Q40 whose tangent is 2^-step.
  function automatic logic [45:0] turn_of(input logic [5:0] step);
    unique case (step)
      6'd0: return 46'd49478023249920;
      6'd1: return 46'd29208582661662;
      6'd2: return 46'd15433012903280;
      6'd3: return 46'd7834038323712;
      6'd4: return 46'd3932221230125;
      6'd5: return 46'd1968027526446;
      6'd6: return 46'd984253903256;
      6'd7: return 46'd492156985618;
      6'd8: return 46'd246082247574;
      6'd9: return 46'd123041593148;
      6'd10: return 46'd61520855245;
      6'd11: return 46'd30760434956;
      6'd12: return 46'd15380218395;
      6'd13: return 46'd7690109312;
      6'd14: return 46'd3845054670;
      6'd15: return 46'd1922527337;
      6'd16: return 46'd961263669;
      6'd17: return 46'd480631834;
      6'd18: return 46'd240315917;
      6'd19: return 46'd120157959;
      6'd20: return 46'd60078979;
      6'd21: return 46'd30039490;
      6'd22: return 46'd15019745;
      6'd23: return 46'd7509872;
      6'd24: return 46'd3754936;
      6'd25: return 46'd1877468;
      6'd26: return 46'd938734;
      6'd27: return 46'd469367;
      6'd28: return 46'd234684;
      6'd29: return 46'd117342;
      6'd30: return 46'd58671;
      6'd31: return 46'd29335;
      6'd32: return 46'd14668;
      6'd33: return 46'd7334;
      6'd34: return 46'd3667;
      6'd35: return 46'd1833;
      6'd36: return 46'd917;
      6'd37: return 46'd458;
      6'd38: return 46'd229;
      6'd39: return 46'd115;
      6'd40: return 46'd57;
      6'd41: return 46'd29;
      default: return '0;
    endcase
  endfunction

  number_t x_q, y_q, left_q, across_q, up_q, turn_q;
  logic [5:0] step_q;
  logic turns_q, adds_q, done_q;

  always_ff @(posedge clk_i) begin
    done_q <= 1'b0;
    across_q <= y_q >>> step_q;
    up_q <= x_q >>> step_q;
    turn_q <= {4'd0, turn_of(step_q)};
    adds_q <= turns_q && !adds_q;
    if (turns_q && adds_q) begin
      x_q <= left_q >= 0 ? x_q - across_q : x_q + across_q;
      y_q <= left_q >= 0 ? y_q + up_q : y_q - up_q;
      left_q <= left_q >= 0 ? left_q - turn_q : left_q + turn_q;
      step_q <= step_q + 6'd1;
      if (step_q == 6'(Steps - 1)) begin
        turns_q <= 1'b0;
        done_q <= 1'b1;
      end
    end
    if (start_i) begin
      x_q <= Shrink;
      y_q <= '0;
      left_q <= number_t'(degrees_i);
      step_q <= '0;
      turns_q <= 1'b1;
      adds_q <= 1'b0;
    end
    if (rst_i) begin
      turns_q <= 1'b0;
      done_q <= 1'b0;
    end
  end

  assign done_o = done_q;
  assign sine_o = 64'(y_q);
  assign cosine_o = 64'(x_q);
endmodule
