// SPDX-License-Identifier: Apache-2.0
//
// lig_fields_pkg: the field stream and the layout program, spec/wire/fields.md sections 2 and 3.
// verilator lint_off UNUSEDPARAM
// A package uses none of its constants itself.
package lig_fields_pkg;
  // What a beat of a field stream is.
  typedef enum logic [1:0] {
    Values = 2'd0,  // up to 8 bytes of elements of a field
    Count  = 2'd1,  // how many elements, bytes of text or units of wide text follow
    Done   = 2'd2,  // the message is complete
    Broken = 2'd3   // it is not: what came of it is to be dropped; tdata has the problem
  } kind_e;

  typedef struct packed {
    kind_e       kind;
    logic [11:0] field;
  } token_t;

  typedef enum logic [2:0] {
    OpEnd            = 3'd0,
    OpFixed          = 3'd1,  // argument elements
    OpSequence       = 3'd2,  // a count of at most argument, and the elements
    OpString         = 3'd3,  // text of at most argument bytes
    OpWideString     = 3'd4,  // text of at most argument units
    OpRepeat         = 3'd5,  // what follows, argument times
    OpRepeatSequence = 3'd6,  // a count of at most argument; what follows, that often
    OpNext           = 3'd7   // end of what is repeated
  } op_e;

  // The lower 62 bits of a word; the others are 0.
  typedef struct packed {
    logic [11:0] target;    // OpNext: what is repeated; OpRepeatSequence: behind it
    logic [11:0] field;
    logic        is_bool;
    logic [1:0]  log_size;  // of an element in bytes
    op_e         op;
    logic [31:0] argument;
  } instruction_t;

  typedef enum logic [3:0] {
    NoProblem     = 4'd0,
    HeaderCut     = 4'd1,  // the frame ends within its header
    Encapsulation = 4'd2,  // not CDR little-endian
    TooShort      = 4'd3,  // the frame ends before the message
    OverBound     = 4'd4,  // more elements than declared
    BadText       = 4'd5,  // a length of 0, no NUL at the end, or a unit above 0xFFFF
    TooLong       = 4'd6,  // bytes behind the message
    WrongField    = 4'd7,  // a token of another field or kind than the layout has
    WrongLength   = 4'd8,  // the message is not as long as its header said
    Nothing       = 4'd9,  // no problem: this message of the core's is none, it has nothing to say
    Refused       = 4'd10,  // there is none: the node in front has refused it, or there is no response
    Unsaid        = 4'd15  // a core gave no reason; codes of its own are 16 and above
  } problem_e;
endpackage
// verilator lint_on UNUSEDPARAM
