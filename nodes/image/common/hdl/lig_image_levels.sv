// SPDX-License-Identifier: Apache-2.0
//
// lig_image_levels: of a histogram of 256 bins, the grey level that each becomes: bit by bit the table of
// cv::equalizeHist, which is computed in floats of 32 bits.
//
// The first bin that has any pixels becomes 0, or stays what it is if it has all of them. With n pixels in the others,
// scale = 255 / n, and each further bin becomes the sum of all bins up to it (without the first) times scale, rounded.
// Three roundings to the nearest even: of the quotient and of each product to 24 bits, and of that to a whole number.
// The quotient comes bit by bit; a product takes four cycles.
//
//   cycles  at most 256 to the first bin, 60 for the quotient, 4 per further bin: below 1100
module lig_image_levels (
    input logic clk_i,
    input logic run_i,  // high until done_o

    input logic [23:0] pixels_i,  // of the image, not 0

    output logic [7:0]  bin_o,
    input  logic [23:0] count_i,  // of that bin, in the same cycle
    output logic        take_o,   // it has been read for good

    output logic       level_valid_o,  // of bin_o
    output logic [7:0] level_o,
    output logic       done_o
);
  typedef enum logic [2:0] {Find, Divide, Scale, Read, Multiply, Normalise, Round, Finish} state_e;
  state_e state_q;

  logic [7:0] bin_q;
  logic [23:0] rest_q;  // pixels that are not in the first bin
  logic [23:0] sum_q;

  assign bin_o = bin_q;
  assign take_o = run_i && (state_q == Find || state_q == Read);

  // --- 255 / rest, as mantissa_q * 2^-down_q -----------------------------------------------------------------

  logic [5:0] step_q;     // bits of the quotient so far; the first weighs 2^7
  logic [24:0] part_q;    // remainder
  logic [24:0] shifted;
  logic [4:0] got_q;      // bits of the mantissa
  logic [23:0] mantissa_q;
  logic [5:0] down_q;
  logic bit_now, up;

  assign shifted = {part_q[23:0], step_q < 6'd8};
  assign bit_now = shifted >= 25'(rest_q);
  // When 24 bits are there, bit_now is the next one, and what then is left of the remainder the rest.
  assign up = bit_now && (mantissa_q[0] || shifted != 25'(rest_q));

  // --- sum times scale ----------------------------------------------------------------------------------------

  logic [47:0] product_q;
  logic [5:0] over;         // bits of the product beyond 24
  logic [71:0] wide;
  logic [24:0] float_q, rounded;
  logic [5:0] right_q;
  logic [64:0] fixed;
  logic [24:0] whole;

  function automatic logic rounds_up(input logic odd, input logic half, input logic more);
    return half && (odd || more);
  endfunction

  always_comb begin
    over = '0;
    for (int unsigned i = 24; i < 48; i++) begin
      if (product_q[i]) over = 6'(i) - 6'd23;
    end
  end
  assign wide = {product_q, 24'd0} >> over;
  assign rounded = wide[48:24] + 25'(rounds_up(wide[24], wide[23], wide[22:0] != '0));
  assign fixed = {float_q, 40'd0} >> right_q;
  assign whole = fixed[64:40] + 25'(rounds_up(fixed[40], fixed[39], fixed[38:0] != '0));

  // --- what follows -------------------------------------------------------------------------------------------

  logic first;
  assign first = state_q == Find && count_i != '0;
  assign level_valid_o = run_i && (first || state_q == Round);
  assign level_o = state_q == Round ? (whole > 25'd255 ? 8'd255 : whole[7:0]) : count_i == pixels_i ? bin_q : 8'd0;
  assign done_o = run_i && state_q == Finish;

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Find: begin
        rest_q <= pixels_i - count_i;
        if (first) state_q <= count_i == pixels_i ? Finish : Divide;
        else bin_q <= bin_q + 1'b1;
      end
      Divide: begin
        step_q <= step_q + 1'b1;
        part_q <= bit_now ? shifted - 25'(rest_q) : shifted;
        if (got_q != '0 || bit_now) begin
          got_q <= got_q + 1'b1;
          mantissa_q <= {mantissa_q[22:0], bit_now};
        end
        if (got_q == 5'd24) begin
          mantissa_q <= mantissa_q + 24'(up);
          // The last of the 24 bits weighs 2^(7 - (step - 1)).
          down_q <= step_q - 6'd8;
          if (up && mantissa_q == '1) begin
            mantissa_q <= 24'h80_0000;
            down_q <= step_q - 6'd9;
          end
          state_q <= Scale;
        end
      end
      Scale: begin
        sum_q <= '0;
        bin_q <= bin_q + 1'b1;
        state_q <= bin_q == 8'hFF ? Finish : Read;
      end
      Read: begin
        sum_q <= sum_q + count_i;
        state_q <= Multiply;
      end
      Multiply: begin
        product_q <= 48'(sum_q) * 48'(mantissa_q);
        state_q <= Normalise;
      end
      Normalise: begin
        float_q <= rounded;
        right_q <= down_q - over;
        state_q <= Round;
      end
      Round: begin
        bin_q <= bin_q + 1'b1;
        state_q <= bin_q == 8'hFF ? Finish : Read;
      end
      default: ;
    endcase
    if (!run_i) begin
      state_q <= Find;
      bin_q <= '0;
      step_q <= '0;
      part_q <= '0;
      got_q <= '0;
      mantissa_q <= '0;
    end
  end
endmodule
