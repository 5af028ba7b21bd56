// SPDX-License-Identifier: Apache-2.0
//
// lig_drive_load: parameters into the registers of lig_drive_calculator, one after the other.
//
// What is a float64 becomes the nearest whole number of 1 / 2^bits (lig_drive_fixed). The user passes register_o, write_o and
// value_o on to the calculator, which stands meanwhile.
//
//   latency  up to 58 cycles per float64, 2 per whole number
module lig_drive_load
  import lig_drive_calculator_pkg::*;
#(
    parameter int unsigned             COUNT     = 2,         // values, 2 to 64
    parameter logic [COUNT-1:0][5:0]   REGISTERS = '0,        // where each goes; as values_i
    parameter logic [COUNT-1:0][5:0]   BITS      = {COUNT{Whole}}  // binary places of each; Whole: as it is
) (
    input logic clk_i, rst_i,  // reset: synchronous, high

    input  logic                   start_i,
    input  logic [COUNT-1:0][63:0] values_i,  // the first one as the highest; constant while it is busy
    output logic                   busy_o,    // from the next cycle on, until it is done

    output logic               write_o,
    output register_t          register_o,
    output logic signed [63:0] value_o
);
  if (COUNT < 2 || COUNT > 64) begin : g_rule_count
    $fatal(1, "lig_drive_load: rule count: COUNT = %0d, 2 to 64 is needed", COUNT);
  end

  typedef enum logic [1:0] {Stand, Convert, Write} state_e;
  typedef logic [$clog2(COUNT)-1:0] number_t;
  state_e state_q;
  number_t number_q;
  logic whole, fixing;
  logic signed [63:0] fixed;

  assign whole = BITS[number_q] == Whole;
  assign busy_o = state_q != Stand;
  assign write_o = state_q == Write && !fixing;
  assign register_o = REGISTERS[number_q];
  assign value_o = whole ? signed'(values_i[number_q]) : fixed;
  lig_drive_fixed to_fixed (
      .clk_i, .rst_i, .start_i(state_q == Convert && !whole), .float_i(values_i[number_q]), .bits_i(BITS[number_q]),
      .busy_o(fixing), .fixed_o(fixed));

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Stand: begin
        number_q <= number_t'(COUNT - 1);
        if (start_i) state_q <= Convert;
      end
      Convert: state_q <= Write;
      default: begin
        if (write_o) begin
          number_q <= number_q - 1'b1;
          state_q <= number_q == '0 ? Stand : Convert;
        end
      end
    endcase
    if (rst_i) state_q <= Stand;
  end
endmodule
