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
    input logic clk_i, rst_i,  // reset: synchronous, high

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

  // source * mantissa, in two parts: simulators are slow where numbers have more than 64 bits.
  logic [51:0] high_q;    // above the lowest 16 bits
  logic [15:0] low_q;
  logic [53:0] rounded_q;  // 53 bits, or 2^53
  logic [6:0] places_q;    // binary places of it
  logic [15:0] length_q;
  logic bad_q;

  function automatic logic [63:0] lower_of(input logic [31:0] factor, input logic [15:0] source);
    return 64'(factor) * 64'(source);
  endfunction

  // How many of its bits are more than 53.
  function automatic logic [3:0] excess_of(input logic [51:0] high);
    logic [3:0] excess;
    excess = '0;
    for (int unsigned i = 1; i < 16; i++) if (high[36+i]) excess = 4'(i);
    return excess;
  endfunction

  // To 53 bits, to nearest, ties to even.
  function automatic logic [53:0] rounded(input logic [51:0] high, input logic [15:0] low, input logic [3:0] excess);
    logic [63:0] kept;
    logic [15:0] rest, half;
    kept = (64'(high) << (5'd16 - 5'(excess))) | (64'(low) >> excess);
    rest = low & ~(16'hFFFF << excess);
    half = 16'(17'd1 << excess >> 1);
    return 54'(kept) + 54'(excess != '0 && (rest > half || (rest == half && kept[0])));
  endfunction

  // To a whole number, to nearest, ties to even, dropping `places` bits, 8 at least.
  function automatic logic [63:0] whole_of(input logic [53:0] value, input logic [6:0] places);
    return (64'(value) + (64'd1 << (places - 7'd1)) - 64'd1 + ((64'(value) >> places) & 64'd1)) >> places;
  endfunction
  function automatic logic is_bad(input logic [63:0] whole);
    return whole == '0 || |whole[63:15];
  endfunction

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
        high_q <= (52'(mantissa[52:32]) * 52'(source_i) << 16) + 52'(lower_of(mantissa[31:0], source_i) >> 16);
        low_q <= 16'(lower_of(mantissa[31:0], source_i));
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
        rounded_q <= rounded(high_q, low_q, excess_of(high_q));
        places_q <= 7'(12'd1075 - 12'(exponent) - 12'(excess_of(high_q)));
        state_q <= Whole;
      end
      Whole: begin
        length_q <= 16'(whole_of(rounded_q, places_q));
        bad_q <= is_bad(whole_of(rounded_q, places_q));
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
