// SPDX-License-Identifier: Apache-2.0
//
// lig_drive_float: a whole number in Q16 as a float32, rounded to the nearest, ties to even. Combinational.
module lig_drive_float (
    input  logic signed [31:0] value_i,
    output logic [31:0]        float_o  // IEEE 754 binary32
);
  logic [31:0] magnitude, shifted;
  logic [4:0] highest;  // its highest bit
  logic up;

  assign magnitude = value_i < 0 ? -value_i : value_i;
  always_comb begin
    highest = '0;
    for (int unsigned i = 0; i < 32; i++) if (magnitude[i]) highest = 5'(i);
  end
  assign shifted = magnitude << (5'd31 - highest);
  // Half of the last place goes to the even neighbour. A mantissa that overflows leaves 0, and the next exponent.
  assign up = shifted[7] && (shifted[8] || shifted[6:0] != '0);
  assign float_o = magnitude == '0 ? '0 :
      {value_i < 0, {8'd111 + 8'(highest), shifted[30:8]} + 31'(up)};
endmodule
