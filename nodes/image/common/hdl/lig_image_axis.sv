// SPDX-License-Identifier: Apache-2.0
//
// lig_image_axis: how many pixels a resized row (or column) has, and how far apart they lie in the source.
//
// The rules of cv::resize for one axis. By scale: the length is round(source * scale), in double precision and ties to
// even, and the step is 1 / scale, whatever the rounding did. By length: the step is source / length. The scale
// comes as the bits of a double; its product is rounded to 53 bits as the processor does, because the rounding to
// a whole number would else go another way where the two meet (145 * 0.7 is 101.5 in double precision).
//
// Once per image, so one bit per cycle: no divider.
//
//   latency  start_i to done_o: at most 150 cycles
//   storage  a remainder of 54 bits, a quotient of 64
module lig_image_axis (
    input logic clk_i,
    input logic rst_i, // synchronous, high

    input logic        start_i,
    input logic [15:0] source_i,     // pixels, 1..32767
    input logic        by_scale_i,
    input logic [63:0] scale_i,      // a double
    input logic [15:0] length_i,     // the wanted length without by_scale_i, 1..32767

    output logic        done_o,     // until the next start
    output logic        bad_o,      // the length is 0 or above 32767, or the scale out of range
    output logic [15:0] length_o,
    output logic [63:0] step_o      // 16.48 bits
);
  typedef enum logic [2:0] {Idle, Product, Round, Whole, Divide} state_e;
  state_e state_q;

  logic [10:0] exponent;
  logic [52:0] mantissa;
  assign exponent = scale_i[62:52];
  assign mantissa = {1'b1, scale_i[51:0]};

  // Scales from 2^-15 to below 2^15; all else gives no length that is allowed.
  logic in_range;
  assign in_range = !scale_i[63] && exponent >= 11'd1008 && exponent < 11'd1038;

  logic [67:0] product_q;      // source * mantissa
  logic [3:0] shift;           // product to 53 bits
  logic [53:0] rounded_q;      // 53 bits, or 2^53
  logic [6:0] places_q;        // binary places of it
  logic [15:0] length_q;
  logic bad_q;

  always_comb begin
    shift = '0;
    for (int unsigned i = 1; i < 16; i++) if (product_q[52+i]) shift = 4'(i);
  end

  // To nearest, ties to even, dropping `places` bits.
  function automatic logic [67:0] dropped(input logic [67:0] value, input logic [6:0] places);
    logic [67:0] half, odd;
    half = places == '0 ? '0 : 68'd1 << (places - 7'd1);
    odd = (value >> places) & 68'd1;
    if (places == '0) return value;
    return (value + half - 68'd1 + odd) >> places;
  endfunction

  logic [67:0] whole;
  always_comb begin
    whole = '0;
    if (state_q == Whole) whole = dropped(68'(rounded_q), places_q);  // simulators need not compute it otherwise
  end

  // --- long division: 16 bits of the numerator, then zeros ------------------------------------------------

  logic [15:0] numerator_q;
  logic [53:0] remainder_q;
  logic [52:0] divisor_q;
  logic [63:0] step_q;
  logic [7:0] left_q;
  logic [53:0] grown;
  assign grown = {remainder_q[52:0], numerator_q[15]};

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Product: begin
        product_q <= 68'(mantissa) * 68'(source_i);
        state_q <= Round;
        numerator_q <= 16'd1;
        divisor_q <= mantissa;
        // 2^48 / scale: the mantissa has exponent - 1075 binary places less than nothing.
        left_q <= 8'(12'd16 + 12'd48 + 12'd1075 - 12'(exponent));
        if (!by_scale_i) begin
          state_q <= Divide;
          length_q <= length_i;
          bad_q <= length_i == '0 || length_i[15];
          numerator_q <= source_i;
          divisor_q <= 53'(length_i);
          left_q <= 8'd64;
        end else if (!in_range) begin
          bad_q <= 1'b1;
          state_q <= Idle;
        end
      end
      Round: begin
        rounded_q <= 54'(dropped(product_q, 7'(shift)));
        places_q <= 7'(12'd1075 - 12'(exponent) - 12'(shift));
        state_q <= Whole;
      end
      Whole: begin
        length_q <= whole[15:0];
        bad_q <= whole == '0 || |whole[67:15];
        state_q <= Divide;
      end
      Divide: begin
        numerator_q <= numerator_q << 1;
        remainder_q <= grown >= 54'(divisor_q) ? grown - 54'(divisor_q) : grown;
        step_q <= {step_q[62:0], grown >= 54'(divisor_q)};
        left_q <= left_q - 8'd1;
        if (left_q == 8'd1 || bad_q) state_q <= Idle;
      end
      default: ;
    endcase
    if (start_i) begin
      state_q <= Product;
      remainder_q <= '0;
      step_q <= '0;
      bad_q <= 1'b0;
    end
    if (rst_i) state_q <= Idle;
  end

  assign done_o = state_q == Idle && !start_i;
  assign bad_o = bad_q;
  assign length_o = length_q;
  assign step_o = step_q;
endmodule
