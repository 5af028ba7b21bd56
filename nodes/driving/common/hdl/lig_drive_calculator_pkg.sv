// SPDX-License-Identifier: Apache-2.0
//
// lig_drive_calculator_pkg: the instructions of lig_drive_calculator.
// verilator lint_off UNUSEDPARAM
// A package uses none of its constants itself.
package lig_drive_calculator_pkg;
  typedef logic [5:0] register_t;
  // Programs are made of blocks of up to 16 lines. A jump goes to a block's first line.
  typedef logic [4:0] block_t;
  typedef struct packed {
    block_t     block;
    logic [3:0] line;
  } step_t;

  // What an instruction does with registers a and b; in place of b there may be a number.
  typedef enum logic [3:0] {
    Halt,         // stands; target says why
    Load,         // to = b
    Plus,         // to = a + b
    Minus,        // to = a - b
    Times,        // to = a * b; as many cycles as |b| has bits
    Rounded,      // to = a / b, to the nearest, half up (divide_rounded); b > 0
    Truncated,    // to = a / b, towards 0; b > 0
    Shifted,      // to = a / 2^b, to the nearest, half up (shift_rounded); b is a number, 1 or more
    Floored,      // to = a / 2^b, down; b is a number, 1 or more
    Root,         // to = the largest whole number whose square is not above a; a is 0 ... 2^64 - 1
    Least,        // to = the smaller of a and b
    Most,         // to = the larger of a and b
    Size,         // to = |a|
    WhereLess,    // goes to target if a < b
    WhereEqual,   // goes to target if a = b
    Go            // goes to target
  } op_e;

  typedef struct packed {
    op_e                op;
    register_t          to;
    register_t          a;
    logic               literal;  // b is the number
    register_t          b;
    logic signed [35:0] number;
    block_t             target;
  } instruction_t;

  // Of lig_drive_load: a value that is a whole number, and no float64.
  localparam logic [5:0] Whole = 6'd63;

  // --- how programs write them ----------------------------------------------------------------------------

  // to = a op b
  function automatic instruction_t calc(input op_e op, input register_t to, input register_t a, input register_t b);
    return '{op: op, to: to, a: a, literal: 1'b0, b: b, number: '0, target: '0};
  endfunction
  // to = a op number
  function automatic instruction_t calc_by(
      input op_e op, input register_t to, input register_t a, input logic signed [35:0] number);
    return '{op: op, to: to, a: a, literal: 1'b1, b: '0, number: number, target: '0};
  endfunction
  function automatic instruction_t halt(input block_t why);
    return '{op: Halt, to: '0, a: '0, literal: 1'b0, b: '0, number: '0, target: why};
  endfunction
  function automatic instruction_t go(input block_t target);
    return '{op: Go, to: '0, a: '0, literal: 1'b0, b: '0, number: '0, target: target};
  endfunction
  // To target if a < b, or a = b.
  function automatic instruction_t where(input op_e op, input register_t a, input register_t b, input block_t target);
    return '{op: op, to: '0, a: a, literal: 1'b0, b: b, number: '0, target: target};
  endfunction
  function automatic instruction_t where_by(
      input op_e op, input register_t a, input logic signed [35:0] number, input block_t target);
    return '{op: op, to: '0, a: a, literal: 1'b1, b: '0, number: number, target: target};
  endfunction
endpackage
// verilator lint_on UNUSEDPARAM
