// SPDX-License-Identifier: Apache-2.0
//
// lig_image_resize: a stream of pixels into the stream of the resized image, bit by bit as cv::resize with INTER_LINEAR.
//
// Four rows wait in lig_image_lines. For each pixel of the result its place in the source is stepped by
// 1 / scale, made into two columns and their weights of 11 bits (lig_image_taps), and interpolated: along
// both rows, then between them. Rows have one place for all their pixels, computed in front of each row. As in
// OpenCV the mean of four pixels is taken where both factors are exactly 1/2, and a copy where the size stays.
//
// With several PIXELS per cycle the rows wait in lig_image_banks, and each lane has its own taps and multipliers. Of a
// result that is smaller than its source, fewer lanes find their places close together; but there is less of it, too.
//
//   latency              two rows and 7 cycles; 150 cycles to find the size of the result
//   initiation interval  1: PIXELS pixels come and PIXELS leave in every cycle; a frame takes as many cycles as the
//                        larger of the two images has pixels / PIXELS, and the latency
//   storage              4 rows of MAX_WIDTH pixels; 24 PIXELS multipliers of 12 x 8 and 12 x 15 bits
module lig_image_resize
  import lig_image_pkg::*;
#(
    parameter int unsigned MAX_WIDTH = 1920,  // of the source, even
    parameter int unsigned PIXELS    = 1      // per cycle: 1, 2, 4, 8
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
  logic signed [63:0] x_q, y_q, x_stride, y_stride;
  logic signed [PIXELS-1:0][15:0] index;
  logic signed [15:0] row_index_q, ask_y_q;
  logic [PIXELS-1:0][15:0] ask_x_q;
  logic [PIXELS-1:0][11:0] first, second;
  logic [11:0] above_q, below_q;
  logic [15:0] column_q, line_q, last_at;
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
  weights_t [PIXELS-1:0] ask_q;
  // Lanes that are within the row, of what is in the taps and of the question.
  logic [PIXELS-1:0] placed_lanes_q, ask_lanes_q;

  for (genvar i = 0; i < PIXELS; i++) begin : g_taps
    logic signed [63:0] place;
    // Of a row, only the first lane's place is looked at.
    if (i == 0) begin : g_first
      assign place = state_q == Row ? y_q : x_q;
    end else begin : g_next
      assign place = x_q + 64'(i) * x_stride;
    end
    lig_image_taps taps (
        .clk_i(ask_clk), .take_i(take), .place_i(place), .index_o(index[i]), .first_o(first[i]), .second_o(second[i]));
  end

  // Half a step less half a pixel: the middle of the first pixel.
  function automatic logic signed [63:0] first_place(input logic [63:0] step);
    return $signed({1'b0, step[63:1]}) - $signed({1'b0, One[63:1]});
  endfunction

  assign x_stride = stays ? One : x_step;
  assign y_stride = stays ? One : y_step;
  assign last_at = (width - 16'd1) & ~16'(PIXELS - 1);
  assign last_column = column_q == last_at;
  assign last_line = line_q == height - 16'd1;
  // A place is taken into the taps, from there into the question for its pixels.
  assign tap = placed_q && (!tapped_q || ask_ready);
  assign take = state_q inside {Row, Columns} && (!placed_q || tap);

  // A question waits until its rows are there, most of the time where the result is smaller.
  logic asks;
  assign asks = start_i || state_q inside {Size, Row, Set} || take || tap || (tapped_q && ask_ready);
  lig_gate ask_gate (.clk_i, .rst_i, .wake_i(asks), .clk_o(ask_clk));

  logic [PIXELS-1:0] ahead, behind;  // beyond the first and last column OpenCV gives one pixel all the weight
  for (genvar i = 0; i < PIXELS; i++) begin : g_border
    assign ahead[i] = index[i][15];
    assign behind[i] = $signed(index[i]) >= $signed(shape_i.width) - 16'sd1;
  end

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
        row_index_q <= index[0];
        above_q <= first[0];
        below_q <= second[0];
        state_q <= Columns;
      end
      Columns: if (take) begin
        x_q <= x_q + (x_stride << $clog2(PIXELS));
        column_q <= column_q + 16'(PIXELS);
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
      for (int unsigned i = 0; i < PIXELS; i++) begin
        ask_x_q[i] <= ahead[i] ? '0 : behind[i] ? shape_i.width - 16'd1 : index[i];
        ask_q[i] <= '{
            left: ahead[i] || behind[i] ? 12'd2048 : first[i],
            right: ahead[i] || behind[i] ? '0 : second[i],
            above: above_q,
            below: below_q,
            has_right: !behind[i],
            has_below: row_index_q < $signed(shape_i.height) - 16'sd1
        };
      end
      ask_y_q <= row_index_q;
      ask_lanes_q <= placed_lanes_q;
    end
    if (take) begin
      for (int unsigned i = 0; i < PIXELS; i++) placed_lanes_q[i] <= column_q + 16'(i) < width;
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
  pixel_t [PIXELS-1:0] upper_left, upper_right, lower_left, lower_right;
  weights_t [PIXELS-1:0] weights;

  assign oldest = tapped_q ? ask_y_q : row_index_q;
  always_comb begin
    keep = oldest < 0 ? '0 : oldest;
    // The first row has no place yet; behind the last one all that is left may come.
    if (state_q inside {Idle, Size, Row, Set} && line_q == '0) keep = '0;
    if (state_q == Drain && !placed_q && !tapped_q) keep = 16'h7FFF;
  end

  if (PIXELS == 1) begin : g_one
    logic unused_lanes;
    assign unused_lanes = ^ask_lanes_q;
    lig_image_lines #(.LINES(4), .MAX_WIDTH(MAX_WIDTH), .USER($bits(weights_t))) lines (
        .clk_i, .clear_i(rst_i || start_i), .width_i(shape_i.width), .height_i(shape_i.height), .pixels(raw),
        .keep_i(keep), .ask_valid_i(tapped_q), .ask_ready_o(ask_ready), .ask_x_i(ask_x_q), .ask_y_i(ask_y_q),
        .ask_user_i(ask_q), .valid_o(found), .ready_i(found_ready), .upper_left_o(upper_left),
        .upper_right_o(upper_right), .lower_left_o(lower_left), .lower_right_o(lower_right), .user_o(weights),
        .lost_o(lost));
  end else begin : g_several
    lig_image_banks #(.LINES(4), .MAX_WIDTH(MAX_WIDTH), .USER($bits(weights_t)), .PIXELS(PIXELS)) banks (
        .clk_i, .clear_i(rst_i || start_i), .width_i(shape_i.width), .height_i(shape_i.height), .pixels(raw),
        .keep_i(keep), .ask_valid_i(tapped_q), .ask_ready_o(ask_ready), .ask_lanes_i(ask_lanes_q), .ask_x_i(ask_x_q),
        .ask_y_i({PIXELS{ask_y_q}}), .ask_user_i(ask_q), .valid_o(found), .ready_i(found_ready),
        .upper_left_o(upper_left), .upper_right_o(upper_right), .lower_left_o(lower_left),
        .lower_right_o(lower_right), .user_o(weights), .lost_o(lost));
  end

  // --- between them ---------------------------------------------------------------------------------------

  logic along_q, between_q, between_ready;
  weights_t [PIXELS-1:0] weights_q;

  assign found_ready = !along_q || between_ready;
  assign between_ready = !between_q || made.ready;
  assign made.valid = between_q;

  logic mix_clk;
  lig_gate mix_gate (.clk_i, .rst_i, .wake_i(start_i || found || along_q || between_q), .clk_o(mix_clk));
  for (genvar j = 0; j < 4 * PIXELS; j++) begin : g_channel
    localparam int unsigned P = j / 4;
    localparam int unsigned I = j % 4;
    logic [19:0] upper_q, lower_q;  // 8.11 bits, one more because weights may add up to 2049
    logic [9:0] sum_q;
    logic [7:0] mixed_q;
    always_ff @(posedge mix_clk) begin
      if (found_ready && found) begin
        upper_q <= 20'(upper_left[P][8*I+:8]) * 20'(weights[P].left) + 20'(upper_right[P][8*I+:8]) * 20'(weights[P].right);
        lower_q <= 20'(lower_left[P][8*I+:8]) * 20'(weights[P].left) + 20'(lower_right[P][8*I+:8]) * 20'(weights[P].right);
        sum_q <= 10'(upper_left[P][8*I+:8]) + (weights[P].has_right ? 10'(upper_right[P][8*I+:8]) : '0) +
            (weights[P].has_below ? 10'(lower_left[P][8*I+:8]) : '0) +
            (weights[P].has_right && weights[P].has_below ? 10'(lower_right[P][8*I+:8]) : '0);
      end
      if (between_ready && along_q) begin
        mixed_q <= halves ? mean(sum_q, weights_q[P].has_right, weights_q[P].has_below) :
            weighted(weights_q[P].above, upper_q, weights_q[P].below, lower_q);
      end
    end
    assign made.pixel[8*j+:8] = mixed_q;
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
