// SPDX-License-Identifier: Apache-2.0
//
// lig_image_lens: a sensor_msgs/CameraInfo, as a field stream, into what lig_image_bend needs of the calibration.
//
// The doubles of the message become fixed-point numbers of 52 bits, one per cycle as they come; two reciprocals
// are divided bit by bit. So the map follows the calibration of each message, with no table to load, and no
// software has a part in it.
//
// Lenses that are understood: plumb_bob, or rational_polynomial whose further coefficients are 0; no rotation
// (R is the identity), no skew, no binning, no region of interest; each coefficient of D within -32 ... 32,
// focal lengths of P above 32 pixels. All else is refused, by name.
//
//   latency  the message's last beat to valid_o: 96 cycles
//   storage  15 numbers of 52 bits
module lig_image_lens
  import lig_fields_pkg::*;
  import lig_image_pkg::*;
  import lig_sensor_msgs_msg_camera_info_pkg::*;
(
    input logic clk_i, rst_i,  // reset: synchronous, high

    lig_fields_if.receiver s_axis,

    output logic     valid_o,    // the message is read, until next_i
    output refusal_e refusal_o,
    output logic     broken_o,   // it was Broken: refusal_o has the reason that came with it
    output lens_t    lens_o,
    input  logic     next_i
);
  typedef enum logic [1:0] {Read, Divide, Valid} state_e;
  state_e state_q;
  // Between messages nothing moves.
  logic clk;
  lig_gate gate (.clk_i, .rst_i, .wake_i(s_axis.tvalid || next_i || state_q == Divide), .clk_o(clk));

  // A register for each number: simulators copy a wide one whole where a part of it is set.
  logic [31:0] height_q, width_q;
  logic [51:0] k1_q, k2_q, p1_q, p2_q, k3_q, focal_x_q, focal_y_q, center_x_q, center_y_q;
  logic [51:0] step_x_q, step_y_q, zero_x_q, zero_y_q;
  logic bent_q, broken_q, calibrated_q, strange_q, over_q, model_q;
  refusal_e refusal_q;
  logic [3:0] problem_q;   // of a broken message
  logic [11:0] field_q;    // of the last beat, and how many came of it
  logic [7:0] count_q, place;
  logic [31:0] elements_q;  // of d
  logic [31:0] letters_q;   // of the model's name
  logic [31:0] full_q;      // a side of the image, to compare the region with
  logic taken;
  logic [11:0] field;

  assign field = s_axis.tuser.field;
  assign place = field == field_q ? count_q : '0;
  assign s_axis.tready = state_q == Read;
  assign taken = s_axis.tvalid && s_axis.tready;

  logic [7:0] left_q;  // of the division
  logic [52:0] rest_x_q, rest_y_q;
  logic [63:0] quotient_x_q, quotient_y_q;
  logic first;

  // --- a double as a fixed-point number -------------------------------------------------------------------

  logic [5:0] binary_places;
  logic [51:0] fixed;
  logic fits, is_zero, is_one;
  logic signed [12:0] shift;
  logic [104:0] shifted;

  // Only of a beat that comes is it looked at, and simulators need not compute it otherwise.
  always_comb begin
    binary_places = field == FIELD_D ? 6'd46 : 6'd36;
    shifted = '0;
    fixed = '0;
    {fits, is_zero, is_one} = '0;
    shift = '0;
    if (taken) begin
      is_zero = s_axis.tdata[62:0] == '0;
      is_one = s_axis.tdata == 64'h3FF0_0000_0000_0000;
      // The mantissa's last bit is 2^(exponent - 1075); its own 53 bits have 52 places to the right of them here.
      shift = $signed({2'b0, s_axis.tdata[62:52]}) - 13'sd1075 + $signed({7'd0, binary_places});
      fits = is_zero || shift < -13'sd1;
      if (shift > -13'sd53 && shift < 13'sd0) shifted = {1'b1, s_axis.tdata[51:0], 52'd0} >> -shift;
      else if (shift >= 13'sd0) shifted = {1'b1, s_axis.tdata[51:0], 52'd0};
      // Rounded; a negative number is the negative of its magnitude.
      fixed = 52'((shifted[104:51] + 54'd1) >> 1);
      if (s_axis.tdata[63]) fixed = -fixed;
    end
  end

  // --- the fields -----------------------------------------------------------------------------------------

  always_ff @(posedge clk) begin
    if (taken && s_axis.tuser.kind == Count) begin
      if (field == FIELD_D) begin
        elements_q <= s_axis.tdata[31:0];
        bent_q <= 1'b0;
        k1_q <= '0;
        k2_q <= '0;
        p1_q <= '0;
        p2_q <= '0;
        k3_q <= '0;
      end
      if (field == FIELD_DISTORTION_MODEL) letters_q <= s_axis.tdata[31:0];
    end
    if (taken && s_axis.tuser.kind == Values) begin
      unique case (field)
        FIELD_HEADER__STAMP__SEC: begin
          strange_q <= 1'b0;
          over_q <= 1'b0;
          model_q <= 1'b0;
        end
        FIELD_HEIGHT: height_q <= s_axis.tdata[31:0];
        FIELD_WIDTH: width_q <= s_axis.tdata[31:0];
        FIELD_DISTORTION_MODEL: if (place == 8'd0) begin
          model_q <= (letters_q == 32'd9 && s_axis.tdata == "ob_bmulp") ||
              (letters_q == 32'd19 && s_axis.tdata == "lanoitar");
        end
        FIELD_D: begin
          if (!is_zero) bent_q <= 1'b1;
          unique case (place)
            8'd0: k1_q <= fixed;
            8'd1: k2_q <= fixed;
            8'd2: p1_q <= fixed;
            8'd3: p2_q <= fixed;
            8'd4: k3_q <= fixed;
            default: if (!is_zero) strange_q <= 1'b1;
          endcase
          if (!fits) over_q <= 1'b1;
        end
        FIELD_K: begin
          unique case (place)
            8'd0: begin
              calibrated_q <= !is_zero;
              focal_x_q <= fixed;
            end
            8'd2: center_x_q <= fixed;
            8'd4: focal_y_q <= fixed;
            8'd5: center_y_q <= fixed;
            default: ;
          endcase
          if (!fits) over_q <= 1'b1;
        end
        FIELD_R: if (!(place inside {8'd0, 8'd4, 8'd8} ? is_one : is_zero)) strange_q <= 1'b1;
        FIELD_P: begin
          unique case (place)
            8'd0: step_x_q <= fixed;
            8'd2: zero_x_q <= fixed;
            8'd5: step_y_q <= fixed;
            8'd6: zero_y_q <= fixed;
            8'd1, 8'd4, 8'd8, 8'd9: if (!is_zero) strange_q <= 1'b1;
            8'd10: if (!is_one) strange_q <= 1'b1;
            default: ;
          endcase
          if (!fits) over_q <= 1'b1;
        end
        FIELD_BINNING_X, FIELD_BINNING_Y: if (s_axis.tdata[31:0] > 32'd1) strange_q <= 1'b1;
        FIELD_ROI__X_OFFSET, FIELD_ROI__Y_OFFSET: if (s_axis.tdata[31:0] != '0) strange_q <= 1'b1;
        FIELD_ROI__HEIGHT: begin
          full_q <= s_axis.tdata[31:0];
          if (s_axis.tdata[31:0] != '0 && s_axis.tdata[31:0] != height_q) strange_q <= 1'b1;
        end
        FIELD_ROI__WIDTH: begin
          if (s_axis.tdata[31:0] != (full_q == '0 ? '0 : width_q)) strange_q <= 1'b1;
        end
        default: ;
      endcase
    end
    // The place of a beat in its field.
    if (taken) begin
      field_q <= s_axis.tlast ? '1 : field;
      count_q <= s_axis.tuser.kind == Values ? place + 8'd1 : '0;
    end
    // The focal lengths of P become their reciprocals.
    if (state_q == Divide && left_q == 8'd1) begin
      step_x_q <= {1'b0, quotient_x_q[49:0], carries(rest_x_q, first, step_x_q)};
      step_y_q <= {1'b0, quotient_y_q[49:0], carries(rest_y_q, first, step_y_q)};
      refusal_q <= broken_q ? refusal_e'({4'd0, problem_q}) :
          judgement(over_q || |quotient_x_q[63:50] || |quotient_y_q[63:50]);
    end
  end

  // --- 2^92 / focal: 56 binary places ---------------------------------------------------------------------

  assign first = left_q == 8'd93;

  function automatic logic carries(input logic [52:0] rest, input logic bit_in, input logic [51:0] divisor);
    return {rest[51:0], bit_in} >= {1'b0, divisor};
  endfunction
  function automatic logic [52:0] rest_of(input logic [52:0] rest, input logic bit_in, input logic [51:0] divisor);
    return carries(rest, bit_in, divisor) ? {rest[51:0], bit_in} - {1'b0, divisor} : {rest[51:0], bit_in};
  endfunction

  always_ff @(posedge clk) begin
    if (state_q == Divide) begin
      rest_x_q <= rest_of(rest_x_q, first, step_x_q);
      rest_y_q <= rest_of(rest_y_q, first, step_y_q);
      quotient_x_q <= {quotient_x_q[62:0], carries(rest_x_q, first, step_x_q)};
      quotient_y_q <= {quotient_y_q[62:0], carries(rest_y_q, first, step_y_q)};
      left_q <= left_q - 8'd1;
    end else if (state_q == Read) begin
      left_q <= 8'd93;
      rest_x_q <= '0;
      rest_y_q <= '0;
      quotient_x_q <= '0;
      quotient_y_q <= '0;
    end
  end

  // --- phases ---------------------------------------------------------------------------------------------

  always_ff @(posedge clk) begin
    unique case (state_q)
      Read: if (taken && s_axis.tlast) begin
        state_q <= Divide;
        broken_q <= s_axis.tuser.kind == Broken;
        problem_q <= s_axis.tdata[3:0];
      end
      Divide: if (left_q == 8'd1) state_q <= Valid;
      Valid: if (next_i) state_q <= Read;
      default: ;
    endcase
    if (rst_i) state_q <= Read;
  end

  // Of the whole message; whether a number is out of range shows with its last division.
  function automatic refusal_e judgement(input logic over);
    if (!calibrated_q) return Uncalibrated;
    if (!bent_q) return Fine;
    if (!model_q || strange_q || !(elements_q inside {32'd4, 32'd5, 32'd8, 32'd12, 32'd14})) return NoModel;
    return over ? TooBent : Fine;
  endfunction

  assign valid_o = state_q == Valid;
  assign refusal_o = refusal_q;
  assign broken_o = broken_q;
  assign lens_o = '{
      height: height_q, width: width_q, bent: bent_q, d: {k3_q, p2_q, p1_q, k2_q, k1_q},
      focal_x: focal_x_q, focal_y: focal_y_q, center_x: center_x_q, center_y: center_y_q,
      step_x: step_x_q, step_y: step_y_q, zero_x: zero_x_q, zero_y: zero_y_q};
endmodule
