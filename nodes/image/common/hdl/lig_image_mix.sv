// SPDX-License-Identifier: Apache-2.0
//
// lig_image_mix: 2 x 2 neighbours of PIXELS places into a pixel each, with weights of 1/32, bit by bit as cv::remap with
// INTER_LINEAR: along both rows, then between them, rounded once.
//
//   latency              2 cycles
//   initiation interval  1
//   storage              4 PIXELS sums of 13 bits per row, 12 PIXELS multipliers of 25 x 5 and 14 x 5 bits
module lig_image_mix
  import lig_image_pkg::*;
#(
    parameter int unsigned PIXELS = 1  // per cycle
) (
    input logic clk_i,
    input logic clear_i,  // synchronous, high: the next image begins

    input  logic                    found_i,  // the neighbours are there
    output logic                    ready_o,
    input  pixel_t [PIXELS-1:0]     upper_left_i,
    input  pixel_t [PIXELS-1:0]     upper_right_i,
    input  pixel_t [PIXELS-1:0]     lower_left_i,
    input  pixel_t [PIXELS-1:0]     lower_right_i,
    input  logic [PIXELS-1:0][4:0]  right_i,  // how far the place lies from the upper left one, in 1/32
    input  logic [PIXELS-1:0][4:0]  down_i,

    lig_image_pixels_if.transmitter made
);
  logic along_q, between_q, between_ready;
  logic [PIXELS-1:0][4:0] down_q;

  assign ready_o = !along_q || between_ready;
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
      if (ready_o && found_i) begin
        upper_q <= across(pair_of(upper_left_i[P], Odd), pair_of(upper_right_i[P], Odd), right_i[P]);
        lower_q <= across(pair_of(lower_left_i[P], Odd), pair_of(lower_right_i[P], Odd), right_i[P]);
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
    if (ready_o) along_q <= found_i;
    if (ready_o && found_i) down_q <= down_i;
    if (between_ready) between_q <= along_q;
    if (clear_i) begin
      along_q <= 1'b0;
      between_q <= 1'b0;
    end
  end
endmodule
