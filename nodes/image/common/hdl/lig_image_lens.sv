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
    input logic clk_i,
    input logic rst_i, // synchronous, high

    input  logic        s_axis_tvalid,
    output logic        s_axis_tready,
    input  logic [63:0] s_axis_tdata,
    input  token_t      s_axis_tuser,
    input  logic        s_axis_tlast,

    output logic     valid_o,    // the message is read, until next_i
    output refusal_e refusal_o,
    output logic     broken_o,   // it was Broken
    output lens_t    lens_o,
    input  logic     next_i
);
  typedef enum logic [1:0] {Read, Divide, Valid} state_e;
  state_e state_q;

  lens_t lens_q;
  logic broken_q, calibrated_q, strange_q, over_q, model_q;
  logic [11:0] field_q;    // of the last beat, and how many came of it
  logic [7:0] count_q, place;
  logic [31:0] elements_q;  // of d
  logic [31:0] letters_q;   // of the model's name
  logic [31:0] full_q;      // a side of the image, to compare the region with
  logic taken;
  logic [11:0] field;

  assign field = s_axis_tuser.field;
  assign place = field == field_q ? count_q : '0;
  assign s_axis_tready = state_q == Read;
  assign taken = s_axis_tvalid && s_axis_tready;

  logic [7:0] left_q;  // of the division
  logic [52:0] rest_x_q, rest_y_q, grown_x, grown_y;
  logic [63:0] quotient_x_q, quotient_y_q;
  logic carry_x, carry_y, first;

  // --- a double as a fixed-point number -------------------------------------------------------------------

  logic [5:0] binary_places;
  logic [51:0] fixed;
  logic fits, is_zero, is_one;
  logic signed [12:0] shift;
  logic [104:0] shifted;

  assign binary_places = field == FIELD_D ? 6'd46 : 6'd36;
  assign is_zero = s_axis_tdata[62:0] == '0;
  assign is_one = s_axis_tdata == 64'h3FF0_0000_0000_0000;
  // The mantissa's last bit is 2^(exponent - 1075); its own 53 bits have 52 places to the right of them here.
  assign shift = $signed({2'b0, s_axis_tdata[62:52]}) - 13'sd1075 + $signed({7'd0, binary_places});

  always_comb begin
    shifted = '0;
    fixed = '0;
    fits = is_zero || shift < -13'sd1;
    // Only then is it looked at, and simulators need not compute it.
    if (state_q == Read) begin
      if (shift > -13'sd53 && shift < 13'sd0) shifted = {1'b1, s_axis_tdata[51:0], 52'd0} >> -shift;
      else if (shift >= 13'sd0) shifted = {1'b1, s_axis_tdata[51:0], 52'd0};
      // Rounded; a negative number is the negative of its magnitude.
      fixed = 52'((shifted[104:51] + 54'd1) >> 1);
      if (s_axis_tdata[63]) fixed = -fixed;
    end
  end

  // --- the fields -----------------------------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (taken && s_axis_tuser.kind == Count) begin
      if (field == FIELD_D) begin
        elements_q <= s_axis_tdata[31:0];
        lens_q.bent <= 1'b0;
        lens_q.d <= '0;
      end
      if (field == FIELD_DISTORTION_MODEL) letters_q <= s_axis_tdata[31:0];
    end
    if (taken && s_axis_tuser.kind == Values) begin
      unique case (field)
        FIELD_HEADER__STAMP__SEC: begin
          strange_q <= 1'b0;
          over_q <= 1'b0;
          model_q <= 1'b0;
        end
        FIELD_HEIGHT: lens_q.height <= s_axis_tdata[31:0];
        FIELD_WIDTH: lens_q.width <= s_axis_tdata[31:0];
        FIELD_DISTORTION_MODEL: if (place == 8'd0) begin
          model_q <= (letters_q == 32'd9 && s_axis_tdata == "ob_bmulp") ||
              (letters_q == 32'd19 && s_axis_tdata == "lanoitar");
        end
        FIELD_D: begin
          if (!is_zero) lens_q.bent <= 1'b1;
          if (place < 8'd5) lens_q.d[place[2:0]] <= fixed;
          else if (!is_zero) strange_q <= 1'b1;
          if (!fits) over_q <= 1'b1;
        end
        FIELD_K: begin
          unique case (place)
            8'd0: begin
              calibrated_q <= !is_zero;
              lens_q.focal_x <= fixed;
            end
            8'd2: lens_q.center_x <= fixed;
            8'd4: lens_q.focal_y <= fixed;
            8'd5: lens_q.center_y <= fixed;
            default: ;
          endcase
          if (!fits) over_q <= 1'b1;
        end
        FIELD_R: if (!(place inside {8'd0, 8'd4, 8'd8} ? is_one : is_zero)) strange_q <= 1'b1;
        FIELD_P: begin
          unique case (place)
            8'd0: lens_q.step_x <= fixed;
            8'd2: lens_q.zero_x <= fixed;
            8'd5: lens_q.step_y <= fixed;
            8'd6: lens_q.zero_y <= fixed;
            8'd1, 8'd4, 8'd8, 8'd9: if (!is_zero) strange_q <= 1'b1;
            8'd10: if (!is_one) strange_q <= 1'b1;
            default: ;
          endcase
          if (!fits) over_q <= 1'b1;
        end
        FIELD_BINNING_X, FIELD_BINNING_Y: if (s_axis_tdata[31:0] > 32'd1) strange_q <= 1'b1;
        FIELD_ROI__X_OFFSET, FIELD_ROI__Y_OFFSET: if (s_axis_tdata[31:0] != '0) strange_q <= 1'b1;
        FIELD_ROI__HEIGHT: begin
          full_q <= s_axis_tdata[31:0];
          if (s_axis_tdata[31:0] != '0 && s_axis_tdata[31:0] != lens_q.height) strange_q <= 1'b1;
        end
        FIELD_ROI__WIDTH: begin
          if (s_axis_tdata[31:0] != (full_q == '0 ? '0 : lens_q.width)) strange_q <= 1'b1;
        end
        default: ;
      endcase
    end
    // The place of a beat in its field.
    if (taken) begin
      field_q <= s_axis_tlast ? '1 : field;
      count_q <= s_axis_tuser.kind == Values ? place + 8'd1 : '0;
    end
    // The focal lengths of P become their reciprocals.
    if (state_q == Divide && left_q == 8'd1) begin
      lens_q.step_x <= {1'b0, quotient_x_q[49:0], carry_x};
      lens_q.step_y <= {1'b0, quotient_y_q[49:0], carry_y};
      if (|quotient_x_q[63:50] || |quotient_y_q[63:50]) over_q <= 1'b1;
    end
  end

  // --- 2^92 / focal: 56 binary places ---------------------------------------------------------------------

  assign first = left_q == 8'd93;
  assign grown_x = {rest_x_q[51:0], first};
  assign grown_y = {rest_y_q[51:0], first};
  assign carry_x = grown_x >= {1'b0, lens_q.step_x};
  assign carry_y = grown_y >= {1'b0, lens_q.step_y};

  always_ff @(posedge clk_i) begin
    if (state_q == Divide) begin
      rest_x_q <= carry_x ? grown_x - {1'b0, lens_q.step_x} : grown_x;
      rest_y_q <= carry_y ? grown_y - {1'b0, lens_q.step_y} : grown_y;
      quotient_x_q <= {quotient_x_q[62:0], carry_x};
      quotient_y_q <= {quotient_y_q[62:0], carry_y};
      left_q <= left_q - 8'd1;
    end else begin
      left_q <= 8'd93;
      rest_x_q <= '0;
      rest_y_q <= '0;
      quotient_x_q <= '0;
      quotient_y_q <= '0;
    end
  end

  // --- phases ---------------------------------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Read: if (taken && s_axis_tlast) begin
        state_q <= Divide;
        broken_q <= s_axis_tuser.kind == Broken;
      end
      Divide: if (left_q == 8'd1) state_q <= Valid;
      Valid: if (next_i) state_q <= Read;
      default: ;
    endcase
    if (rst_i) state_q <= Read;
  end

  always_comb begin
    refusal_o = Fine;
    if (!calibrated_q) refusal_o = Uncalibrated;
    else if (lens_q.bent) begin
      if (!model_q || strange_q || !(elements_q inside {32'd4, 32'd5, 32'd8, 32'd12, 32'd14})) refusal_o = NoModel;
      else if (over_q) refusal_o = TooBent;
    end
  end

  assign valid_o = state_q == Valid;
  assign broken_o = broken_q;
  assign lens_o = lens_q;
endmodule
