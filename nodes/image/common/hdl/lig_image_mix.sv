// SPDX-License-Identifier: Apache-2.0
//
// lig_image_mix: PIXELS pixels per cycle at any places between those of an image that passes by, in 1/32 pixel, bit by bit
// as cv::remap with INTER_LINEAR: mixed of 2 x 2 neighbours along both rows, then between them, rounded once. What lies
// outside of the image is black.
//
// The last LINES rows are kept (lig_image_lines, with several PIXELS lig_image_banks): what keep_i and lost_o mean is written
// there.
//
//   latency              request to pixel: 3 cycles, with several PIXELS 5
//   initiation interval  1 where the places lie in one window of lig_image_banks
//   storage              LINES rows of MAX_WIDTH pixels; 4 PIXELS sums of 13 bits per row, 12 PIXELS multipliers of 25 x 5 and
//                        14 x 5 bits
module lig_image_mix
  import lig_image_pkg::*;
#(
    parameter int unsigned LINES     = 4,     // a power of two
    parameter int unsigned MAX_WIDTH = 1920,  // even
    parameter int unsigned PIXELS    = 1      // per cycle: 1, 2, 4, 8
) (
    input logic clk_i,
    input logic clear_i,  // synchronous, high: the next image begins

    input logic [15:0] width_i,
    input logic [15:0] height_i,

    lig_image_pixels_if.receiver pixels,
    input  logic [15:0] keep_i,  // the uppermost row that is still needed

    input  logic                    ask_valid_i,
    output logic                    ask_ready_o,
    input  logic [PIXELS-1:0]       ask_lanes_i,  // those that ask for something; the others' pixels are not defined
    input  logic [PIXELS-1:0][15:0] ask_x_i,      // signed: the upper left neighbour
    input  logic [PIXELS-1:0][15:0] ask_y_i,
    input  logic [PIXELS-1:0][4:0]  ask_right_i,  // how far the place lies from that, in 1/32
    input  logic [PIXELS-1:0][4:0]  ask_down_i,

    lig_image_pixels_if.transmitter made,
    output logic lost_o
);
  // --- the rows -------------------------------------------------------------------------------------------

  logic found, found_ready;
  pixel_t [PIXELS-1:0] upper_left, upper_right, lower_left, lower_right;
  logic [PIXELS-1:0][9:0] asked_part, part;
  logic [PIXELS-1:0][4:0] right, down;
  for (genvar i = 0; i < PIXELS; i++) begin : g_part
    assign asked_part[i] = {ask_right_i[i], ask_down_i[i]};
    assign {right[i], down[i]} = part[i];
  end

  if (PIXELS == 1) begin : g_one
    logic unused_lanes;
    assign unused_lanes = ^ask_lanes_i;
    lig_image_lines #(.LINES(LINES), .MAX_WIDTH(MAX_WIDTH), .BLACK(1), .USER(10)) lines (
        .clk_i, .clear_i, .width_i, .height_i, .pixels, .keep_i, .ask_valid_i, .ask_ready_o,
        .ask_x_i(ask_x_i), .ask_y_i(ask_y_i), .ask_user_i(asked_part), .valid_o(found), .ready_i(found_ready),
        .upper_left_o(upper_left), .upper_right_o(upper_right), .lower_left_o(lower_left), .lower_right_o(lower_right),
        .user_o(part), .lost_o);
  end else begin : g_several
    lig_image_banks #(.LINES(LINES), .MAX_WIDTH(MAX_WIDTH), .BLACK(1), .USER(10), .PIXELS(PIXELS)) banks (
        .clk_i, .clear_i, .width_i, .height_i, .pixels, .keep_i, .ask_valid_i, .ask_ready_o, .ask_lanes_i, .ask_x_i,
        .ask_y_i, .ask_user_i(asked_part), .valid_o(found), .ready_i(found_ready), .upper_left_o(upper_left),
        .upper_right_o(upper_right), .lower_left_o(lower_left), .lower_right_o(lower_right), .user_o(part), .lost_o);
  end

  // --- between them ---------------------------------------------------------------------------------------

  logic along_q, between_q, between_ready;
  logic [PIXELS-1:0][4:0] down_q;

  assign found_ready = !along_q || between_ready;
  assign between_ready = !between_q || made.ready;
  assign made.valid = between_q;

  // Two channels, each in 16 bits: their sums of 13 bits do not meet.
  typedef logic [31:0] pair_t;
  function automatic pair_t pair_of(input pixel_t pixel, input logic odd);
    return (odd ? pixel >> 8 : pixel) & 32'h00FF_00FF;
  endfunction

  // One product for both neighbours. A negative difference borrows, and the sum gives that back.
  function automatic pair_t across(input pair_t left_one, input pair_t right_one, input logic [4:0] part_right);
    return (left_one << 5) + (right_one - left_one) * 32'(part_right);
  endfunction

  function automatic logic [7:0] between(input logic [12:0] above, input logic [12:0] below,
                                         input logic [4:0] part_down);
    return 8'(((19'(above) << 5) + (19'(below) - 19'(above)) * 19'(part_down) + 19'd512) >> 10);
  endfunction

  for (genvar j = 0; j < 2 * PIXELS; j++) begin : g_pair
    localparam int unsigned P = j / 2;
    localparam bit Odd = j % 2 == 1;
    pair_t upper_q, lower_q;
    logic [7:0] first_q, second_q;
    always_ff @(posedge clk_i) begin
      if (found_ready && found) begin
        upper_q <= across(pair_of(upper_left[P], Odd), pair_of(upper_right[P], Odd), right[P]);
        lower_q <= across(pair_of(lower_left[P], Odd), pair_of(lower_right[P], Odd), right[P]);
      end
      if (between_ready && along_q) begin
        first_q <= between(upper_q[12:0], lower_q[12:0], down_q[P]);
        second_q <= between(upper_q[28:16], lower_q[28:16], down_q[P]);
      end
    end
    assign made.pixel[32*P+8*(j%2)+:8] = first_q;
    assign made.pixel[32*P+8*(j%2)+16+:8] = second_q;
  end

  always_ff @(posedge clk_i) begin
    if (found_ready) along_q <= found;
    if (found_ready && found) down_q <= down;
    if (between_ready) between_q <= along_q;
    if (clear_i) begin
      along_q <= 1'b0;
      between_q <= 1'b0;
    end
  end
endmodule
