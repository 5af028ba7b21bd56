// SPDX-License-Identifier: Apache-2.0
//
// lig_drive_calc_pkg: the instructions of lig_drive_calc.
//
// There are 32 registers of 64 bits, and an accumulator of 128. Every instruction but Keep changes the accumulator, so
// what works on it follows at once: Multiply, then Left, then Divide.
// verilator lint_off UNUSEDPARAM
// A package uses none of its constants itself.
package lig_drive_calc_pkg;
  typedef enum logic [3:0] {
    Const    = 4'd0,   // to <- the 17 bits of a, b and k, signed
    Load     = 4'd1,   // to <- value_i
    Fixed    = 4'd2,   // to <- to_fixed(value_i as a double, k): |value_i| is below 2^(52 - k)
    Add      = 4'd3,   // to <- a + b
    Subtract = 4'd4,   // to <- a - b
    Larger   = 4'd5,   // to <- max(a, b)
    Smaller  = 4'd6,   // to <- min(a, b)
    Pick     = 4'd7,   // to <- b, where a is not negative
    Multiply = 4'd8,   // accumulator <- a * b
    Left     = 4'd9,   // accumulator <- accumulator << k
    Right    = 4'd10,  // to <- shift_rounded(accumulator, k); k = 0: its lower half
    Divide   = 4'd11,  // to <- divide_rounded(accumulator, b): b is above 0
    Floor    = 4'd12,  // to <- divide_down(accumulator, b): b is above 0
    Root     = 4'd13,  // to <- square_root(the accumulator's lower half)
    Turn     = 4'd14,  // to <- sine of a, accumulator <- its cosine; degrees and results in Q40
    Keep     = 4'd15   // keep_o with the number k and the value of a
  } op_e;

  typedef struct packed {
    logic       last;  // of a program
    op_e        op;
    logic [4:0] to;
    logic [4:0] a;
    logic [4:0] b;
    logic [6:0] k;
  } instruction_t;

  // An instruction, in the order in which it reads: to <- op(a, b, k).
  function automatic instruction_t calc(input logic [4:0] to, input op_e op, input logic [4:0] a,
                                        input logic [4:0] b, input logic [6:0] k);
    return '{last: 1'b0, op: op, to: to, a: a, b: b, k: k};
  endfunction

  function automatic instruction_t constant(input logic [4:0] to, input logic signed [16:0] value);
    return {1'b0, Const, to, value};
  endfunction

  function automatic instruction_t last(input instruction_t instruction);
    instruction_t marked;
    marked = instruction;
    marked.last = 1'b1;
    return marked;
  endfunction
endpackage
// verilator lint_on UNUSEDPARAM
