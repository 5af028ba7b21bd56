// SPDX-License-Identifier: Apache-2.0
//
// lig_drive_stripes: the runs of a colour in rows of classes that may be a stripe's (find_runs() of kernels/stripes.hpp).
//
// A run is found with the pixel behind it, so at most one per pixel, of one of the colours. What touches a row's ends is
// none.
//
//   latency              1 cycle
//   initiation interval  1 pixel
module lig_drive_stripes
  import lig_drive_pkg::*;
(
    input logic clk_i,
    input logic clear_i,  // synchronous, high: the next row begins

    input logic        valid_i,
    input class_e      class_i,
    input logic [15:0] width_i,     // of the rows
    input logic [31:0] run_from_i,  // pixels of a run
    input logic [31:0] run_to_i,

    output logic        valid_o,
    output logic        white_o,  // or yellow
    output logic [15:0] centre_o, // twice the run's
    output logic        row_o     // a row ends; one cycle, with its last pixel's run
);
  logic [15:0] column_q;
  logic [1:0][15:0] begin_q;  // of the run that may be open: of yellow and white
  logic [1:0] found;
  logic last_column;
  assign last_column = column_q == width_i - 16'd1;

  for (genvar i = 0; i < 2; i++) begin : g_colour
    localparam class_e Colour = i == 1 ? White : Yellow;
    logic [31:0] pixels;
    logic outside;
    assign outside = class_i != Colour;
    assign pixels = 32'(column_q - begin_q[i]);
    assign found[i] = valid_i && outside && begin_q[i] != '0 && pixels >= run_from_i && pixels <= run_to_i;
    always_ff @(posedge clk_i) begin
      if (valid_i && outside) begin_q[i] <= column_q + 16'd1;
      if (clear_i || (valid_i && last_column)) begin_q[i] <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    valid_o <= found != '0;
    white_o <= found[1];
    centre_o <= (found[1] ? begin_q[1] : begin_q[0]) + column_q - 16'd1;
    row_o <= valid_i && last_column;
    if (valid_i) column_q <= last_column ? '0 : column_q + 16'd1;
    if (clear_i) begin
      column_q <= '0;
      valid_o <= 1'b0;
      row_o <= 1'b0;
    end
  end
endmodule
