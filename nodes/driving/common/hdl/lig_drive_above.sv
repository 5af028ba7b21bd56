// SPDX-License-Identifier: Apache-2.0
//
// lig_drive_above: classes of pixels as seen from above: GroundView::warp_nearest() of kernels/ground_view.hpp.
//
// A row of the view comes from one row of the picture, and later rows from lower ones. So the rows that the view shows are
// stored as they come, 2 bits a pixel, in a queue of words of PIXELS pixels. For each row of the view its row is copied into
// one of two small buffers, of which each lane has its own, while the view's row before is read from the other. What lies
// above a row that was copied is free again: so the next picture comes while this one's view leaves.
//
// survey_i first, once the table of rows (lig_drive_ground) is that of the picture's size: then it is known which rows the
// view shows. Sizes and table stay while there is anything stored, or a view leaves.
//
//   initiation interval  PIXELS classes in, PIXELS pixels out, where the picture's rows are not longer than the view's
//   latency              a picture's row, and about 15 + PIXELS cycles
//   storage              CLASSES times 2 bits, and PIXELS buffers of 2 MAX_WIDTH times 2 bits
module lig_drive_above
  import lig_drive_pkg::*;
#(
    parameter int unsigned CLASSES   = 262144,  // that are stored, a power of two, at least 4 MAX_WIDTH
    parameter int unsigned MAX_WIDTH = 2048,    // of a picture, a power of two, at least 2 PIXELS
    parameter int unsigned PIXELS    = 1        // per cycle: 1, 2, 4, 8
) (
    input logic clk_i, rst_i,  // reset: synchronous, high
    input logic clear_i,       // the same: what is stored is of a broken picture

    input logic [15:0] width_i,  // of the picture
    input logic [15:0] height_i,
    input logic [15:0] columns_i,  // of the view
    input logic [15:0] rows_i,

    output logic [9:0]         row_o,  // to lig_drive_ground
    input  logic signed [21:0] row_32_i,
    input  logic signed [51:0] column_q16_i,
    input  logic signed [51:0] step_q16_i,
    input  logic               survey_i,
    output logic               surveyed_o,

    // The picture.
    input  logic                restart_i,  // its next beat is the first one
    input  logic                valid_i,
    output logic                ready_o,
    input  class_e [PIXELS-1:0] classes_i,

    // The view.
    input  logic start_i,
    output logic busy_o,
    lig_image_pixels_if.transmitter made
);
  localparam int unsigned Depth = CLASSES / PIXELS;
  localparam int unsigned Bits = $clog2(Depth);
  localparam int unsigned WordBits = $clog2(MAX_WIDTH / PIXELS);  // of a row's words
  if ((CLASSES & (CLASSES - 1)) != 0 || CLASSES < 4 * MAX_WIDTH) begin : g_rule_classes
    $fatal(1, "lig_drive_above: rule classes: CLASSES = %0d, a power of two from 4 * MAX_WIDTH (%0d) on is needed", CLASSES,
           4 * MAX_WIDTH);
  end
  if ((MAX_WIDTH & (MAX_WIDTH - 1)) != 0 || MAX_WIDTH < 2 * PIXELS) begin : g_rule_width
    $fatal(1, "lig_drive_above: rule width: MAX_WIDTH = %0d, a power of two from 2 * PIXELS on is needed", MAX_WIDTH);
  end

  typedef enum logic [3:0] {Rest, First, FirstIs, Last, LastIs, Entry, Look, Seek, Copy, Copied, Lanes, Give, Leave} state_e;
  state_e state_q;
  logic clear;
  assign clear = rst_i || clear_i;

  // --- the rows that are stored -----------------------------------------------------------------------------

  logic [2*PIXELS-1:0] stored[Depth];
  logic [2*PIXELS-1:0] copied_q;
  logic [Bits:0] write_q, row_at_q, level, row_words;  // row_at: where the row lies that the view is at
  logic [15:0] come_row_q, come_column_q, row_end;
  logic [15:0] first_q, behind_q;  // rows from first_q on, up to behind_q
  logic [WordBits:0] word_q;
  logic shown, available, take;

  assign row_end = width_i + 16'(PIXELS - 1);
  assign row_words = (Bits + 1)'(row_end / 16'(PIXELS));
  assign level = write_q - row_at_q;
  assign available = level >= row_words;
  assign shown = come_row_q >= first_q && come_row_q < behind_q;
  assign ready_o = !shown || !level[Bits];
  assign take = valid_i && ready_o;

  always_ff @(posedge clk_i) begin
    if (take && shown) stored[write_q[Bits-1:0]] <= classes_i;
    copied_q <= stored[Bits'(row_at_q[Bits-1:0] + Bits'(word_q))];
  end

  always_ff @(posedge clk_i) begin
    if (take) begin
      if (shown) write_q <= write_q + 1'b1;
      come_column_q <= come_column_q + 16'(PIXELS);
      if (come_column_q + 16'(PIXELS) >= width_i) begin
        come_column_q <= '0;
        come_row_q <= come_row_q + 16'd1;
      end
    end
    if (restart_i || clear) begin
      come_column_q <= '0;
      come_row_q <= '0;
    end
    if (clear) write_q <= '0;
  end

  // --- the row of the view that comes next ------------------------------------------------------------------

  logic signed [17:0] place;  // its row in the picture
  logic [15:0] view_row_q, row_q, target_q;
  logic outside, black_q, loaded_q, buffer_q, spare_is_free, given_q, given_black_q, given_buffer_q;
  logic [15:0] loaded_row_q;
  logic signed [51:0] sum_q, given_step_q;
  logic signed [51:0] given_at_q[PIXELS];
  logic [3:0] lane_q;
  logic load, copies_q, busy_view;
  logic [WordBits-1:0] copied_word_q;

  assign place = 18'((23'(row_32_i) + 23'sd16) >>> 5);
  assign outside = place < 0 || place >= $signed({2'd0, height_i});
  assign row_o = state_q inside {Last, LastIs} ? 10'(rows_i - 16'd1) : view_row_q[9:0];
  assign surveyed_o = state_q == LastIs;

  always_ff @(posedge clk_i) begin
    copies_q <= state_q == Copy;
    copied_word_q <= word_q[WordBits-1:0];
    if (load) given_q <= 1'b0;
    unique case (state_q)
      Rest: begin
        view_row_q <= '0;
        row_q <= first_q;
        loaded_q <= 1'b0;
        if (survey_i) state_q <= First;
        else if (start_i) state_q <= Entry;
      end
      First: state_q <= FirstIs;
      FirstIs: begin
        first_q <= place < 0 ? '0 : outside ? height_i : place[15:0];
        state_q <= Last;
      end
      Last: state_q <= LastIs;
      LastIs: begin
        behind_q <= place < 0 ? '0 : outside ? height_i : place[15:0] + 16'd1;
        state_q <= Rest;
      end
      Entry: state_q <= Look;
      Look: begin
        black_q <= outside;
        target_q <= place[15:0];
        state_q <= outside ? Lanes : Seek;
      end
      Seek: begin
        word_q <= '0;
        if (available) begin
          if (row_q < target_q) begin
            row_q <= row_q + 16'd1;
            row_at_q <= row_at_q + row_words;
          end else if (loaded_q && loaded_row_q == row_q) state_q <= Lanes;
          else if (spare_is_free) state_q <= Copy;
        end
      end
      Copy: begin
        word_q <= word_q + 1'b1;
        if ((Bits + 1)'(word_q) + 1'b1 == row_words) state_q <= Copied;
      end
      Copied: begin
        loaded_q <= 1'b1;
        loaded_row_q <= row_q;
        buffer_q <= !buffer_q;
        state_q <= Lanes;
      end
      Lanes: begin
        sum_q <= lane_q == '0 ? column_q16_i + step_q16_i : sum_q + step_q16_i;
        if (!given_q) begin
          lane_q <= lane_q + 4'd1;
          if (lane_q == 4'(PIXELS - 1)) begin
            lane_q <= '0;
            state_q <= Give;
          end
        end
      end
      Give: begin
        given_q <= 1'b1;
        given_black_q <= black_q;
        given_buffer_q <= buffer_q;
        given_step_q <= step_q16_i;
        view_row_q <= view_row_q + 16'd1;
        state_q <= view_row_q + 16'd1 == rows_i ? Leave : Entry;
      end
      default: begin  // what is left of the picture is let go
        if (row_q < behind_q) begin
          if (available) begin
            row_q <= row_q + 16'd1;
            row_at_q <= row_at_q + row_words;
          end
        end else if (!given_q && !busy_view) state_q <= Rest;
      end
    endcase
    if (clear) begin
      state_q <= Rest;
      row_at_q <= '0;
      given_q <= 1'b0;
      lane_q <= '0;
      buffer_q <= 1'b0;
      copies_q <= 1'b0;
    end
  end
  assign busy_o = state_q != Rest;

  for (genvar i = 0; i < PIXELS; i++) begin : g_given
    always_ff @(posedge clk_i) begin
      if (state_q == Lanes && !given_q && lane_q == 4'(i)) given_at_q[i] <= i == 0 ? column_q16_i : sum_q;
    end
  end

  // --- the row of the view that leaves ----------------------------------------------------------------------

  logic move, active_q, active_black_q, active_buffer_q, place_valid_q, place_buffer_q, made_valid_q, last_beat;
  logic [15:0] column_q;
  logic signed [51:0] active_step_q;

  assign move = !made_valid_q || made.ready;
  assign last_beat = column_q + 16'(PIXELS) >= columns_i;
  assign load = given_q && (!active_q || (move && last_beat));
  assign busy_view = active_q || place_valid_q || made_valid_q;
  // Nothing reads the buffer that the next row goes to.
  assign spare_is_free = !(given_q && given_buffer_q != buffer_q) && !(active_q && active_buffer_q != buffer_q) &&
      !(place_valid_q && place_buffer_q != buffer_q);

  always_ff @(posedge clk_i) begin
    if (move) begin
      place_valid_q <= active_q;
      place_buffer_q <= active_buffer_q;
      made_valid_q <= place_valid_q;
      if (active_q) column_q <= column_q + 16'(PIXELS);
      if (active_q && last_beat) active_q <= 1'b0;
    end
    if (load) begin
      active_q <= 1'b1;
      active_black_q <= given_black_q;
      active_buffer_q <= given_buffer_q;
      active_step_q <= given_step_q;
      column_q <= '0;
    end
    if (clear) begin
      active_q <= 1'b0;
      place_valid_q <= 1'b0;
      made_valid_q <= 1'b0;
    end
  end

  for (genvar i = 0; i < PIXELS; i++) begin : g_lane
    logic [2*PIXELS-1:0] rows[2*MAX_WIDTH/PIXELS];
    logic [2*PIXELS-1:0] found_q;
    logic signed [51:0] at_q;
    logic signed [36:0] column;  // the nearest
    logic [15:0] place_q;
    logic is_in, is_in_q, found_is_in_q;
    class_e found;
    assign column = 37'((42'(at_q >>> 11) + 42'sd16) >>> 5);
    assign is_in = column >= 0 && column < $signed({21'd0, width_i}) && !active_black_q;
    always_ff @(posedge clk_i) begin
      if (copies_q) rows[{!buffer_q, copied_word_q}] <= copied_q;
      if (move) begin
        at_q <= at_q + (active_step_q <<< $clog2(PIXELS));
        place_q <= column[15:0];
        is_in_q <= is_in;
        found_q <= rows[{place_buffer_q, WordBits'(place_q / 16'(PIXELS))}];
        found_is_in_q <= is_in_q;
      end
      if (load) at_q <= given_at_q[i];
    end
    if (PIXELS == 1) begin : g_one
      assign found = class_e'(found_q);
    end else begin : g_several
      logic [$clog2(PIXELS)-1:0] which_q;
      always_ff @(posedge clk_i) if (move) which_q <= place_q[$clog2(PIXELS)-1:0];
      assign found = class_e'(found_q[2*which_q+:2]);
    end
    assign made.pixel[32*i+:32] = !found_is_in_q ? 32'd0 : found == White ? 32'd255 : found == Yellow ? 32'd127 : 32'd0;
  end
  assign made.valid = made_valid_q;
endmodule
