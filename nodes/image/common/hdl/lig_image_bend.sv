// SPDX-License-Identifier: Apache-2.0
//
// lig_image_bend: for each pixel of a rectified image, in order, where in the raw image it comes from.
//
// The model of cv::initUndistortRectifyMap with five coefficients, evaluated in fixed point for one pixel per
// cycle: no table, so a new calibration costs nothing and the image's size no memory. 46 binary places keep the error
// below 2^-30 pixel; the result is rounded to 1/32 pixel as OpenCV's is, so the two can differ only where the
// true place lies that close to the middle between two steps: on average in less than one of 10^7 places.
//
// With STEP lanes beside each other, each computes every STEP-th pixel of a row, from FIRST on: all of them move
// together, so what one says of the row's end holds for all. Behind the row's end they compute what nobody looks at.
//
//   latency              16 cycles
//   initiation interval  1
//   storage              16 multipliers of 52 x 52 bits, and what waits for them
module lig_image_bend
  import lig_image_pkg::*;
#(
    parameter int unsigned FIRST = 0,  // column
    parameter int unsigned STEP  = 1   // columns, a power of two
) (
    input logic clk_i,
    input logic clear_i,  // synchronous, high: the next image begins
    input logic run_i,    // its size and lens are valid

    input logic [15:0] width_i,
    input logic [15:0] height_i,
    input lens_t       lens_i,

    output logic               valid_o,
    input  logic               ready_i,
    output logic signed [15:0] x_o,
    output logic signed [15:0] y_o,
    output logic [4:0]         right_o,  // 1/32 of a pixel to the right of x
    output logic [4:0]         down_o,
    output logic               last_column_o,
    output logic               over_o    // some number on the way did not fit
);
  typedef logic signed [51:0] number_t;
  localparam int unsigned Steps = 16;

  logic move;
  logic [Steps-1:0] valid_q, last_q;
  assign valid_o = valid_q[Steps-1];
  assign last_column_o = last_q[Steps-1];
  assign move = !valid_o || ready_i;

  // --- pixels in order, less the centre of P --------------------------------------------------------------

  logic [15:0] column_q, row_q, last_at;  // of the first lane
  logic over_end_q, last_column, row_moves;
  logic [10:0] fresh_q;  // steps that a row's first pixel has come to
  number_t across_q, down_q, zero_x, zero_y;  // 36 binary places
  assign zero_x = lens_i.zero_x;
  assign zero_y = lens_i.zero_y;
  assign last_at = (width_i - 16'd1) & ~16'(STEP - 1);
  assign last_column = column_q == last_at;
  // What depends on the row alone is computed behind a row's first pixel, and then stays.
  assign row_moves = move && (column_q == '0 || fresh_q != '0);

  always_ff @(posedge clk_i) begin
    if (move) begin
      across_q <= $signed({column_q | 16'(FIRST), 36'd0}) - zero_x;
      if (row_moves) down_q <= $signed({row_q, 36'd0}) - zero_y;
      valid_q <= {valid_q[Steps-2:0], run_i && !over_end_q};
      last_q <= {last_q[Steps-2:0], last_column};
      fresh_q <= {fresh_q[9:0], column_q == '0};
      if (run_i && !over_end_q) begin
        column_q <= column_q + 16'(STEP);
        if (last_column) begin
          column_q <= '0;
          row_q <= row_q + 16'd1;
          over_end_q <= row_q == height_i - 16'd1;
        end
      end
    end
    if (clear_i) begin
      valid_q <= '0;
      column_q <= '0;
      row_q <= '0;
      over_end_q <= 1'b0;
    end
  end

  // --- the model; from here on 46 binary places -----------------------------------------------------------

  number_t x, y, x2, y2, xy, k3r, k2r, k1r, xr, yr, px, py, pxx, pyy, u, v;
  number_t r2, twice_xy, reach_x, reach_y;
  number_t k1, k2, k3, p1, p2;
  logic [63:0] over, over_x, over_y, over_x2, over_y2, over_xy, over_k3, over_k2, over_k1, over_xr, over_yr;
  logic [63:0] over_px, over_py, over_pxx, over_pyy, over_u, over_v;
  assign {k3, p2, p1, k2, k1} = lens_i.d;

  lig_image_product product_x (.clk_i, .move_i(move), .a_i(across_q), .b_i(lens_i.step_x), .product_o(x), .over_o(over_x));
  lig_image_product product_y (.clk_i, .move_i(row_moves), .a_i(down_q), .b_i(lens_i.step_y), .product_o(y), .over_o(over_y));
  lig_image_product product_x2 (.clk_i, .move_i(move), .a_i(x), .b_i(x), .product_o(x2), .over_o(over_x2));
  lig_image_product product_y2 (.clk_i, .move_i(row_moves), .a_i(y), .b_i(y), .product_o(y2), .over_o(over_y2));
  lig_image_product product_xy (.clk_i, .move_i(move), .a_i(x), .b_i(y), .product_o(xy), .over_o(over_xy));

  // The places where the delays below stand: x and y after step 3, their products after 5, the radial polynomial
  // after 7, 9 and 11, the bent x and y after 13, pixels after 15.
  assign r2 = x2 + y2;
  assign twice_xy = xy <<< 1;
  assign reach_x = r2 + (x2 <<< 1);
  assign reach_y = r2 + (y2 <<< 1);

  // What waits for the radial polynomial, delayed by 1, 2, ... steps.
  for (genvar i = 0; i < 8; i++) begin : g_place
    number_t x_q, y_q;
    if (i == 0) begin : g_first
      always_ff @(posedge clk_i) begin
        if (move) x_q <= x;
        if (row_moves) y_q <= y;
      end
    end else begin : g_next
      always_ff @(posedge clk_i) begin
        if (move) x_q <= g_place[i-1].x_q;
        if (row_moves) y_q <= g_place[i-1].y_q;
      end
    end
  end
  for (genvar i = 0; i < 4; i++) begin : g_radius
    number_t r2_q;
    if (i == 0) begin : g_first
      always_ff @(posedge clk_i) if (move) r2_q <= r2;
    end else begin : g_next
      always_ff @(posedge clk_i) if (move) r2_q <= g_radius[i-1].r2_q;
    end
  end
  for (genvar i = 0; i < 6; i++) begin : g_tangent
    number_t x_q, y_q;
    if (i == 0) begin : g_first
      always_ff @(posedge clk_i) begin
        if (move) begin
          x_q <= px + pxx;
          y_q <= py + pyy;
        end
      end
    end else begin : g_next
      always_ff @(posedge clk_i) begin
        if (move) begin
          x_q <= g_tangent[i-1].x_q;
          y_q <= g_tangent[i-1].y_q;
        end
      end
    end
  end

  lig_image_product product_k3 (.clk_i, .move_i(move), .a_i(k3), .b_i(r2), .product_o(k3r), .over_o(over_k3));
  lig_image_product product_k2 (.clk_i, .move_i(move), .a_i(k3r + k2), .b_i(g_radius[1].r2_q), .product_o(k2r), .over_o(over_k2));
  lig_image_product product_k1 (.clk_i, .move_i(move), .a_i(k2r + k1), .b_i(g_radius[3].r2_q), .product_o(k1r), .over_o(over_k1));
  lig_image_product product_px (.clk_i, .move_i(move), .a_i(p1), .b_i(twice_xy), .product_o(px), .over_o(over_px));
  lig_image_product product_pxx (.clk_i, .move_i(move), .a_i(p2), .b_i(reach_x), .product_o(pxx), .over_o(over_pxx));
  lig_image_product product_py (.clk_i, .move_i(move), .a_i(p2), .b_i(twice_xy), .product_o(py), .over_o(over_py));
  lig_image_product product_pyy (.clk_i, .move_i(move), .a_i(p1), .b_i(reach_y), .product_o(pyy), .over_o(over_pyy));

  localparam number_t One = 52'sd1 <<< 46;
  lig_image_product product_xr (.clk_i, .move_i(move), .a_i(k1r + One), .b_i(g_place[7].x_q), .product_o(xr), .over_o(over_xr));
  lig_image_product product_yr (.clk_i, .move_i(move), .a_i(k1r + One), .b_i(g_place[7].y_q), .product_o(yr), .over_o(over_yr));

  // Sums of the tangential parts wait for the radial ones.
  lig_image_product product_u (.clk_i, .move_i(move), .a_i(lens_i.focal_x), .b_i(xr + g_tangent[5].x_q), .product_o(u), .over_o(over_u));
  lig_image_product product_v (.clk_i, .move_i(move), .a_i(lens_i.focal_y), .b_i(yr + g_tangent[5].y_q), .product_o(v), .over_o(over_v));

  // --- to 1/32 pixel, ties to even ------------------------------------------------------------------------

  function automatic logic [20:0] thirty_seconds(input number_t pixels);
    return 21'((pixels + 52'sd1073741823 + $signed({51'd0, pixels[31]})) >>> 31);
  endfunction

  number_t center_x, center_y;
  logic [20:0] across_place_q, down_place_q;
  assign center_x = lens_i.center_x;
  assign center_y = lens_i.center_y;

  assign over = over_x | over_y | over_x2 | over_y2 | over_xy | over_k3 | over_k2 | over_k1 | over_xr | over_yr |
      over_px | over_py | over_pxx | over_pyy | over_u | over_v;

  always_ff @(posedge clk_i) begin
    if (move) begin
      across_place_q <= thirty_seconds(u + center_x);
      down_place_q <= thirty_seconds(v + center_y);
      over_o <= |over[63:52];
    end
  end
  assign {x_o, right_o} = across_place_q;
  assign {y_o, down_o} = down_place_q;
endmodule
