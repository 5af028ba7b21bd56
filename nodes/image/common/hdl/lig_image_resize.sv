// SPDX-License-Identifier: Apache-2.0
//
// lig_image_resize: a stream of pixels into the stream of the resized image, bit by bit as cv::resize with INTER_LINEAR.
//
// Four rows wait in lig_image_lines. For each pixel of the result its place in the source is stepped by
// 1 / scale, made into two columns and their weights of 11 bits (lig_image_taps), and interpolated: along
// both rows, then between them. Rows have one place for all their pixels, computed in front of each row. As in
// OpenCV the mean of four pixels is taken where both factors are exactly 1/2, and a copy where the size stays.
//
//   latency              two rows and 7 cycles; 150 cycles to find the size of the result
//   initiation interval  1: one pixel comes and one leaves in every cycle; a frame takes as many cycles as the
//                        larger of the two images has pixels, and the latency
//   storage              4 rows of MAX_WIDTH pixels; 24 multipliers of 12 x 8 and 12 x 15 bits
module lig_image_resize
  import lig_image_pkg::*;
#(
    parameter int unsigned MAX_WIDTH = 1920  // of the source, even
) (
    input logic clk_i, rst_i,  // reset: synchronous, high

    input logic        start_i,  // the next image: the size and the request are valid from now on
    input shape_t      shape_i,
    input logic        by_scale_i,
    input logic [63:0] scale_x_i,  // doubles
    input logic [63:0] scale_y_i,
    input logic [63:0] to_width_i,  // without by_scale_i; -1: as it is
    input logic [63:0] to_height_i,

    output logic        sized_o,  // the size of the result is known
    output logic        bad_o,    // and it cannot be
    output shape_t      result_o,

    lig_image_pixels_if.receiver raw,
    lig_image_pixels_if.transmitter made
);
  // --- the size -------------------------------------------------------------------------------------------

  logic x_done, y_done, x_bad, y_bad, stays, halves;
  logic [63:0] x_step, y_step;
  localparam logic [63:0] One = 64'h0001_0000_0000_0000;  // 16.48

  logic [15:0] to_width, to_height, width, height;
  assign to_width = to_width_i[63] ? shape_i.width : to_width_i[15:0];
  assign to_height = to_height_i[63] ? shape_i.height : to_height_i[15:0];
  always_comb begin
    result_o = shape_i;
    result_o.width = width;
    result_o.height = height;
  end

  // Once per image.
  logic axis_clk;
  lig_gate axis_gate (.clk_i, .rst_i, .wake_i(!sized_o), .clk_o(axis_clk));
  lig_image_axis axis_x (
      .clk_i(axis_clk), .rst_i, .start_i, .source_i(shape_i.width), .by_scale_i, .scale_i(scale_x_i),
      .length_i(to_width), .done_o(x_done), .bad_o(x_bad), .length_o(width), .step_o(x_step));
  lig_image_axis axis_y (
      .clk_i(axis_clk), .rst_i, .start_i, .source_i(shape_i.height), .by_scale_i, .scale_i(scale_y_i),
      .length_i(to_height), .done_o(y_done), .bad_o(y_bad), .length_o(height), .step_o(y_step));

  assign sized_o = x_done && y_done;
  assign bad_o = x_bad || y_bad;
  assign stays = width == shape_i.width && height == shape_i.height;
  assign halves = !stays && x_step == 2 * One && y_step == 2 * One;

  // --- where each pixel comes from ------------------------------------------------------------------------

  typedef enum logic [2:0] {Idle, Size, Row, Set, Columns, Drain} state_e;
  state_e state_q;

  // 16.48 bits: a sum that exceeds them is behind the last pixel, and nobody looks at it.
  logic signed [63:0] x_q, y_q, place, x_stride, y_stride;
  logic signed [15:0] index, row_index_q, ask_x_q, ask_y_q;
  logic [11:0] first, second, above_q, below_q;
  logic [15:0] column_q, line_q;
  logic ask_clk;
  logic last_column, last_line, take, tap, placed_q, tapped_q, ask_ready;

  typedef struct packed {
    logic [11:0] left;   // weights
    logic [11:0] right;
    logic [11:0] above;
    logic [11:0] below;
    logic        has_right;  // inside the image
    logic        has_below;
  } weights_t;
  weights_t ask_q;

  assign place = state_q == Row ? y_q : x_q;
  lig_image_taps taps (
      .clk_i(ask_clk), .take_i(take), .place_i(place), .index_o(index), .first_o(first), .second_o(second));

  // Half a step less half a pixel: the middle of the first pixel.
  function automatic logic signed [63:0] first_place(input logic [63:0] step);
    return $signed({1'b0, step[63:1]}) - $signed({1'b0, One[63:1]});
  endfunction

  assign x_stride = stays ? One : x_step;
  assign y_stride = stays ? One : y_step;
  assign last_column = column_q == width - 16'd1;
  assign last_line = line_q == height - 16'd1;
  // A place is taken into the taps, from there into the question for its pixels.
  assign tap = placed_q && (!tapped_q || ask_ready);
  assign take = state_q inside {Row, Columns} && (!placed_q || tap);

  // A question waits until its rows are there, most of the time where the result is smaller.
  logic asks;
  assign asks = start_i || state_q inside {Size, Row, Set} || take || tap || (tapped_q && ask_ready);
  lig_gate ask_gate (.clk_i, .rst_i, .wake_i(asks), .clk_o(ask_clk));

  logic ahead, behind;  // beyond the first and last column OpenCV gives one pixel all the weight
  assign ahead = index < 0;
  assign behind = index >= $signed(shape_i.width) - 16'sd1;

  always_ff @(posedge ask_clk) begin
    unique case (state_q)
      Size: begin
        x_q <= stays ? '0 : first_place(x_step);
        y_q <= stays ? '0 : first_place(y_step);
        column_q <= '0;
        line_q <= '0;
        if (sized_o) state_q <= bad_o ? Idle : Row;
      end
      Row: if (take) begin
        y_q <= y_q + y_stride;
        state_q <= Set;
      end
      Set: begin
        row_index_q <= index;
        above_q <= first;
        below_q <= second;
        state_q <= Columns;
      end
      Columns: if (take) begin
        x_q <= x_q + x_stride;
        column_q <= column_q + 16'd1;
        if (last_column) begin
          x_q <= stays ? '0 : first_place(x_step);
          column_q <= '0;
          line_q <= line_q + 16'd1;
          state_q <= last_line ? Drain : Row;
        end
      end
      default: ;
    endcase
    if (start_i) state_q <= Size;
    if (rst_i) state_q <= Idle;
  end

  always_ff @(posedge ask_clk) begin
    if (tap) begin
      ask_x_q <= ahead ? '0 : behind ? $signed(shape_i.width) - 16'sd1 : index;
      ask_y_q <= row_index_q;
      ask_q <= '{
          left: ahead || behind ? 12'd2048 : first,
          right: ahead || behind ? '0 : second,
          above: above_q,
          below: below_q,
          has_right: !behind,
          has_below: row_index_q < $signed(shape_i.height) - 16'sd1
      };
    end
    if (take) placed_q <= state_q == Columns;
    else if (tap) placed_q <= 1'b0;
    if (tap) tapped_q <= 1'b1;
    else if (ask_ready) tapped_q <= 1'b0;
    if (rst_i || start_i) begin
      placed_q <= 1'b0;
      tapped_q <= 1'b0;
    end
  end

  // --- the rows -------------------------------------------------------------------------------------------

  logic signed [15:0] oldest;
  logic [15:0] keep;
  logic found, found_ready, lost;
  pixel_t upper_left, upper_right, lower_left, lower_right;
  weights_t weights;

  assign oldest = tapped_q ? ask_y_q : row_index_q;
  always_comb begin
    keep = oldest < 0 ? '0 : oldest;
    // The first row has no place yet; behind the last one all that is left may come.
    if (state_q inside {Idle, Size, Row, Set} && line_q == '0) keep = '0;
    if (state_q == Drain && !placed_q && !tapped_q) keep = 16'h7FFF;
  end

  lig_image_lines #(.LINES(4), .MAX_WIDTH(MAX_WIDTH), .USER($bits(weights_t))) lines (
      .clk_i, .clear_i(rst_i || start_i), .width_i(shape_i.width), .height_i(shape_i.height), .pixels(raw),
      .keep_i(keep), .ask_valid_i(tapped_q), .ask_ready_o(ask_ready), .ask_x_i(ask_x_q), .ask_y_i(ask_y_q), .ask_user_i(ask_q),
      .valid_o(found), .ready_i(found_ready), .upper_left_o(upper_left), .upper_right_o(upper_right),
      .lower_left_o(lower_left), .lower_right_o(lower_right), .user_o(weights), .lost_o(lost));

  // --- between them ---------------------------------------------------------------------------------------

  logic along_q, between_q, between_ready;
  weights_t weights_q;

  assign found_ready = !along_q || between_ready;
  assign between_ready = !between_q || made.ready;
  assign made.valid = between_q;

  logic mix_clk;
  lig_gate mix_gate (.clk_i, .rst_i, .wake_i(start_i || found || along_q || between_q), .clk_o(mix_clk));
  for (genvar i = 0; i < 4; i++) begin : g_channel
    logic [19:0] upper_q, lower_q;  // 8.11 bits, one more because weights may add up to 2049
    logic [9:0] sum_q;
    logic [7:0] mixed_q;
    always_ff @(posedge mix_clk) begin
      if (found_ready && found) begin
        upper_q <= 20'(upper_left[8*i+:8]) * 20'(weights.left) + 20'(upper_right[8*i+:8]) * 20'(weights.right);
        lower_q <= 20'(lower_left[8*i+:8]) * 20'(weights.left) + 20'(lower_right[8*i+:8]) * 20'(weights.right);
        sum_q <= 10'(upper_left[8*i+:8]) + (weights.has_right ? 10'(upper_right[8*i+:8]) : '0) +
            (weights.has_below ? 10'(lower_left[8*i+:8]) : '0) +
            (weights.has_right && weights.has_below ? 10'(lower_right[8*i+:8]) : '0);
      end
      if (between_ready && along_q) begin
        mixed_q <= halves ? mean(sum_q, weights_q.has_right, weights_q.has_below) :
            weighted(weights_q.above, upper_q, weights_q.below, lower_q);
      end
    end
    assign made.pixel[8*i+:8] = mixed_q;
  end

  always_ff @(posedge mix_clk) begin
    if (found_ready) along_q <= found;
    if (found_ready && found) weights_q <= weights;
    if (between_ready) between_q <= along_q;
    if (rst_i || start_i) begin
      along_q <= 1'b0;
      between_q <= 1'b0;
    end
  end

  function automatic logic [7:0] weighted(input logic [11:0] above, input logic [19:0] upper,
                                          input logic [11:0] below, input logic [19:0] lower);
    logic [27:0] a, b;
    a = 28'(above) * 28'(upper >> 4);
    b = 28'(below) * 28'(lower >> 4);
    return 8'((12'(a >> 16) + 12'(b >> 16) + 12'd2) >> 2);
  endfunction

  // Of 4, of 2 (ties to even) or of 1, at the borders of an image with an odd side.
  function automatic logic [7:0] mean(input logic [9:0] sum, input logic has_right, input logic has_below);
    if (has_right && has_below) return 8'((sum + 10'd2) >> 2);
    if (has_right || has_below) return 8'((sum + 10'(sum[1] & sum[0])) >> 1);
    return sum[7:0];
  endfunction

`ifdef LIG_RULES
  always_ff @(posedge clk_i) begin
    assert (rst_i || !lost) else $error("lig_image_resize: a row was dropped before it was used");
  end
`else
  logic unused_lost;
  assign unused_lost = lost;
`endif
endmodule
