// SPDX-License-Identifier: Apache-2.0
//
// lig_drive_calculator: whole numbers, one instruction after the other, for what is computed once per message.
//
// 64 signed registers, an adder, and what takes a bit per cycle: products, quotients, roots, shifts. The numbers are those
// of kernels/fixed.hpp, WIDTH bits wide. The user holds the program (a function from steps to instructions), and reads and
// writes the registers while the calculator stands.
//
//   latency   2 cycles per instruction, and one where it goes elsewhere; Times: and a cycle per bit of |b|; Rounded:
//             WIDTH + 4, Truncated: WIDTH + 3; Root: 33; Shifted, Floored: a cycle per place
//   storage   64 registers, three words
module lig_drive_calculator
  import lig_drive_calculator_pkg::*;
#(
    parameter int unsigned WIDTH = 64  // bits of a number, 64 or more
) (
    input logic clk_i, rst_i,  // reset: synchronous, high; it does not clear the registers

    input  logic   start_i,    // while it stands: begins
    input  block_t start_at_i,  // here
    output logic   busy_o,     // from the next cycle on, until it stands again
    output block_t why_o,      // as the last Halt said

    output step_t        step_o,
    input  instruction_t instruction_i,  // in the same cycle

    // While it stands.
    input  logic                    write_i,
    input  register_t               register_i,
    input  logic signed [WIDTH-1:0] value_i,
    output logic signed [WIDTH-1:0] value_o  // of register_i, in the same cycle
);
  if (WIDTH < 64) begin : g_rule_width
    $fatal(1, "lig_drive_calculator: rule width: WIDTH = %0d, 64 or more is needed", WIDTH);
  end

  // Turn: the first instruction of a block comes. Fetch: reads a and b, while the next instruction comes. Double, Begin: what
  // is done once. Work: a bit, or a place, per cycle. Write: the result.
  localparam logic signed [WIDTH-1:0] One = 1;

  typedef enum logic [2:0] {Stand, Turn, Fetch, Double, Begin, Work, Write} state_e;
  state_e state_q;
  step_t step_q;  // the next
  instruction_t instruction_q;  // that of the cycle before
  logic signed [WIDTH-1:0] registers[64];
  logic signed [WIDTH-1:0] a_q, b_q;
  logic [WIDTH-1:0] part_q;          // product, remainder
  logic [$clog2(WIDTH+1)-1:0] left_q;  // bits or places to go
  logic negative_q;                  // the quotient is
  op_e op_q;
  block_t target_q;
  register_t to_q;

  logic clk;
  lig_gate gate (.clk_i, .rst_i, .wake_i(start_i || write_i || busy_o), .clk_o(clk));

  register_t from;  // one port: outside reads while nothing runs
  assign step_o = step_q;
  assign busy_o = state_q != Stand;
  assign from = busy_o ? instruction_q.a : register_i;
  assign value_o = registers[from];

  // --- a bit of a quotient or a root ----------------------------------------------------------------------

  logic [WIDTH-1:0] remainder, tried, rest;
  logic fits;
  always_comb begin
    if (op_q == Root) begin
      remainder = {part_q[WIDTH-3:0], a_q[63:62]};
      tried = {b_q[WIDTH-3:0], 2'b01};
    end else begin
      remainder = {part_q[WIDTH-2:0], a_q[WIDTH-1]};
      tried = b_q;
    end
    fits = remainder >= tried;
    rest = fits ? remainder - tried : remainder;
  end

  // --- results --------------------------------------------------------------------------------------------

  logic less;
  logic signed [WIDTH-1:0] result;
  assign less = a_q < b_q;
  always_comb begin
    unique case (op_q)
      Load: result = b_q;
      Plus: result = a_q + b_q;
      Minus: result = a_q - b_q;
      Times: result = part_q;
      // Down, where half is up: what is negative and not whole is one less.
      Rounded: result = !negative_q ? a_q : part_q != '0 ? ~a_q : -a_q;
      Truncated: result = negative_q ? -a_q : a_q;
      Root: result = b_q;
      Least: result = less ? a_q : b_q;
      Most: result = less ? b_q : a_q;
      Size: result = a_q < 0 ? -a_q : a_q;
      default: result = a_q;
    endcase
  end

  logic writes;
  assign writes = state_q == Write;
  always_ff @(posedge clk) begin
    if (writes || write_i) registers[writes ? to_q : register_i] <= writes ? result : value_i;
  end

  // --- steps ----------------------------------------------------------------------------------------------

  logic jumps;
  assign jumps = op_q == WhereLess ? less : a_q == b_q;

  always_ff @(posedge clk) begin
    instruction_q <= instruction_i;
    unique case (state_q)
      Stand: begin
        step_q <= '{block: start_at_i, line: '0};
        if (start_i) state_q <= Turn;
      end
      Turn: state_q <= Fetch;
      Fetch: begin
        a_q <= value_o;
        b_q <= instruction_q.literal ? WIDTH'(instruction_q.number) : registers[instruction_q.b];
        op_q <= instruction_q.op;
        to_q <= instruction_q.to;
        target_q <= instruction_q.target;
        step_q.line <= step_q.line + 1'b1;
        state_q <= Write;
        unique case (instruction_q.op)
          Halt: begin
            why_o <= instruction_q.target;
            state_q <= Stand;
          end
          Go: begin
            step_q <= '{block: instruction_q.target, line: '0};
            state_q <= Turn;
          end
          Rounded: state_q <= Double;
          Times, Truncated, Root, Shifted, Floored, WhereLess, WhereEqual: state_q <= Begin;
          default: ;
        endcase
      end
      Double: begin  // half of what it is divided by is added
        a_q <= (a_q <<< 1) + b_q;
        b_q <= b_q <<< 1;
        state_q <= Begin;
      end
      Begin: begin
        part_q <= '0;
        state_q <= Work;
        unique case (op_q)
          WhereLess, WhereEqual: begin
            if (jumps) step_q <= '{block: target_q, line: '0};
            state_q <= jumps ? Turn : Fetch;
          end
          Times: begin
            if (b_q < 0) begin
              a_q <= -a_q;
              b_q <= -b_q;
            end
          end
          Root: begin
            b_q <= '0;
            left_q <= 'd32;
          end
          Shifted, Floored: left_q <= b_q[$bits(left_q)-1:0];
          default: begin
            negative_q <= a_q < 0;
            if (a_q < 0) a_q <= -a_q;
            left_q <= ($bits(left_q))'(WIDTH);
          end
        endcase
      end
      Work: begin
        left_q <= left_q - 1'b1;
        unique case (op_q)
          Times: begin
            if (b_q[0]) part_q <= part_q + a_q;
            a_q <= a_q <<< 1;
            b_q <= b_q >>> 1;
            if (b_q[WIDTH-1:1] == '0) state_q <= Write;
          end
          Shifted, Floored: begin
            // The last place is rounded off.
            a_q <= (op_q == Shifted && left_q == 'd1 ? a_q + One : a_q) >>> 1;
            if (left_q == 'd1) state_q <= Write;
          end
          default: begin
            part_q <= rest;
            a_q <= op_q == Root ? a_q <<< 2 : {a_q[WIDTH-2:0], fits};
            if (op_q == Root) b_q <= {b_q[WIDTH-2:0], fits};
            if (left_q == 'd1) state_q <= Write;
          end
        endcase
      end
      default: state_q <= Fetch;
    endcase
    if (rst_i) state_q <= Stand;
  end
endmodule
