// SPDX-License-Identifier: Apache-2.0
//
// lig_drive_calc: arithmetic in whole numbers, one small step per cycle, for what happens once per frame or less.
//
// What the driving nodes derive from parameters and from a picture's size, and what they compute of a whole frame, are
// some dozens of products and quotients (kernels/fixed.hpp). None is worth a unit of its own. The user has the program:
// a table that pc_o reads, and a choice of values from outside that the instruction numbers. A program has no jumps:
// what it may not do it computes, and does not Pick.
//
// A program runs from start_pc_i to the instruction that is its last.
//
//   cycles               3 of each instruction, and of Multiply 64, Left and Right k, Divide and Floor 129, Root 32,
//                        Fixed up to 64, Turn 42
//   storage              32 registers of 64 bits, 128 + 66 + 64 bits
module lig_drive_calc
  import lig_drive_calc_pkg::*;
#(
    parameter bit TURNS = 1'b1  // there is Turn
) (
    input logic clk_i, rst_i,  // reset: synchronous, high

    input  logic       start_i,
    input  logic [7:0] start_pc_i,
    output logic       busy_o,  // from the cycle behind start_i on

    output logic [7:0]   pc_o,
    input  instruction_t instruction_i,  // of pc_o
    input  logic [63:0]  value_i,        // what the instruction loads

    output logic        keep_o,  // one cycle
    output logic [6:0]  number_o,
    output logic [63:0] kept_o
);
  typedef enum logic [2:0] {Idle, Fetch, Begin, Sign, Step, Finish} state_e;
  typedef logic signed [127:0] wide_t;
  state_e state_q;
  logic clk;
  lig_gate gate (.clk_i, .rst_i, .wake_i(start_i || state_q != Idle), .clk_o(clk));

  logic [63:0] registers[32];
  logic [7:0] pc_q;
  instruction_t now_q;
  logic signed [63:0] a_q, b_q, value_q;
  wide_t accumulator_q;
  logic [65:0] rest_q;     // of a division, of a root
  logic [31:0] root_q;
  logic [63:0] operand_q;  // magnitude of a
  logic negative_q;        // the result's sign
  logic [7:0] left_q;      // steps to go
  op_e op;
  logic divides, signed_result;

  assign op = now_q.op;
  assign divides = op inside {Divide, Floor};
  assign signed_result = divides || op inside {Fixed, Multiply};
  assign busy_o = state_q != Idle;
  assign pc_o = pc_q;

  // --- the beginning of an instruction ----------------------------------------------------------------------

  function automatic logic [63:0] magnitude(input logic signed [63:0] value);
    return value < 0 ? -value : value;
  endfunction

  logic signed [63:0] simple;  // result of what needs one step
  wide_t first;
  logic [7:0] steps;
  logic [12:0] below;  // places of a double's mantissa behind those that stay
  logic [10:0] exponent;
  assign exponent = value_q[62:52];
  assign below = 13'd1075 - 13'(exponent) - 13'(now_q.k);

  always_comb begin
    unique case (op)
      Const: simple = 64'($signed({now_q.a, now_q.b, now_q.k}));
      Load: simple = value_q;
      Add: simple = a_q + b_q;
      Subtract: simple = a_q - b_q;
      Larger: simple = a_q > b_q ? a_q : b_q;
      Smaller: simple = a_q < b_q ? a_q : b_q;
      default: simple = b_q;  // Pick
    endcase
  end

  always_comb begin
    first = accumulator_q;
    steps = '0;
    unique case (op)
      Const, Load, Add, Subtract, Larger, Smaller, Pick: first = wide_t'(simple);
      Fixed: begin
        first = {75'd0, exponent != '0, value_q[51:0]};
        steps = below > 13'd64 ? 8'd64 : below[7:0];
      end
      Multiply: begin
        first = {64'd0, magnitude(b_q)};
        steps = 8'd64;
      end
      Left, Right: steps = {1'b0, now_q.k};
      Divide: begin
        first = (accumulator_q <<< 1) + wide_t'(b_q);
        steps = 8'd128;
      end
      Floor: steps = 8'd128;
      Root: steps = 8'd32;
      default: ;
    endcase
  end

  // --- one step ---------------------------------------------------------------------------------------------

  wide_t next;
  logic [64:0] sum;
  logic [65:0] rest, divisor, trial;
  logic fits;
  assign divisor = op == Divide ? {1'b0, b_q, 1'b0} : {2'b0, b_q};
  assign sum = {1'b0, accumulator_q[127:64]} + (accumulator_q[0] ? {1'b0, operand_q} : '0);
  assign rest = op == Root ? {rest_q[63:0], accumulator_q[63:62]} : {rest_q[64:0], accumulator_q[127]};
  assign trial = op == Root ? {32'd0, root_q, 2'b01} : divisor;
  assign fits = rest >= trial;

  always_comb begin
    unique case (op)
      Multiply: next = {sum, accumulator_q[63:1]};
      Fixed, Right: next = (accumulator_q + wide_t'({1'b0, left_q == 8'd1})) >>> 1;
      Root: next = accumulator_q <<< 2;
      default: next = {accumulator_q[126:0], divides && fits};
    endcase
  end

  // --- the end ----------------------------------------------------------------------------------------------

  logic turning, turned;
  logic signed [63:0] sine, cosine;
  wide_t whole;
  logic [63:0] result;
  // Downwards: what is left of a negative number's division counts as one more.
  assign whole = !signed_result || !negative_q ? accumulator_q :
      divides ? -accumulator_q - wide_t'({1'b0, rest_q != '0}) : -accumulator_q;
  always_comb begin
    unique case (op)
      Root: result = {32'd0, root_q};
      Turn: result = sine;
      default: result = whole[63:0];
    endcase
  end

  always_ff @(posedge clk) begin
    if (state_q == Finish && !(op inside {Multiply, Left, Keep}) && !(op == Pick && a_q < 0)) registers[now_q.to] <= result;
  end

  always_ff @(posedge clk) begin
    unique case (state_q)
      Idle: begin
        pc_q <= start_pc_i;
        if (start_i) state_q <= Fetch;
      end
      Fetch: begin
        now_q <= instruction_i;
        a_q <= registers[instruction_i.a];
        b_q <= registers[instruction_i.b];
        value_q <= value_i;
        state_q <= Begin;
      end
      Begin: begin
        if (op != Keep) accumulator_q <= first;
        operand_q <= magnitude(a_q);
        negative_q <= op == Fixed ? value_q[63] : a_q[63] ^ b_q[63];
        rest_q <= '0;
        root_q <= '0;
        left_q <= steps;
        state_q <= divides ? Sign : steps != '0 || op == Turn ? Step : Finish;
      end
      Sign: begin
        negative_q <= accumulator_q < 0;
        if (accumulator_q < 0) accumulator_q <= -accumulator_q;
        state_q <= Step;
      end
      Step: begin
        if (op == Turn) begin
          accumulator_q <= wide_t'(cosine);
          if (turned) state_q <= Finish;
        end else begin
          accumulator_q <= next;
          if (divides || op == Root) rest_q <= fits ? rest - trial : rest;
          if (op == Root) root_q <= {root_q[30:0], fits};
          left_q <= left_q - 8'd1;
          if (left_q == 8'd1) state_q <= Finish;
        end
      end
      Finish: begin
        if (op == Multiply) accumulator_q <= whole;
        pc_q <= pc_q + 8'd1;
        state_q <= now_q.last ? Idle : Fetch;
      end
      default: state_q <= Idle;
    endcase
    if (rst_i) state_q <= Idle;
  end

  assign keep_o = state_q == Finish && op == Keep;
  assign number_o = now_q.k;
  assign kept_o = a_q;

  assign turning = state_q == Begin && op == Turn;
  if (TURNS) begin : g_turns
    lig_drive_turn rotate (
        .clk_i(clk), .rst_i, .start_i(turning), .degrees_i(a_q), .done_o(turned), .sine_o(sine), .cosine_o(cosine));
  end else begin : g_none
    assign turned = 1'b1;
    assign sine = '0;
    assign cosine = '0;
  end
endmodule
