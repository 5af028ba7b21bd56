// SPDX-License-Identifier: Apache-2.0
//
// lig_drive_runs: the runs of equal pixels in each row of an image.
//
// Up to PIXELS classes come at once, row by row; where a row ends they may be fewer, as lig_image_pixels_if has them. What
// leaves are the runs of all classes, from left to right; a row's last one says that it is.
//
//   initiation interval  PIXELS pixels per cycle, and a cycle more for each run that begins amidst them
//   latency              none: a run is told with the first pixel behind it
module lig_drive_runs #(
    parameter int unsigned PIXELS = 1
) (
    input logic clk_i, rst_i,  // reset: synchronous, high

    input logic        start_i,  // of an image
    input logic [15:0] width_i,  // constant from then on, or from the cycle before the first pixel

    input  logic                   valid_i,
    output logic                   ready_o,
    input  logic [PIXELS-1:0][1:0] classes_i,

    output logic        run_valid_o,
    input  logic        run_ready_i,
    output logic [1:0]  class_o,
    output logic [15:0] begin_o,  // column of its first pixel
    output logic [15:0] end_o,    // column behind its last one
    output logic        last_o    // of the row
);
  logic [15:0] column_q, begin_q;  // of the first of these pixels; where the run began
  logic [PIXELS-1:0] told_q;       // pixels that are not behind the run's first
  logic [1:0] class_q, current;
  // Of the row, from registers: whoever waits for ready_o has little of the cycle left.
  logic [15:0] rest_q, further;    // pixels from these on, and from the next ones on
  logic [PIXELS-1:0] inside_q;     // these pixels lie in it
  logic begins_q, final_q;         // it begins here, it ends with these pixels
  logic [PIXELS-1:0] differs;
  logic changes, ends, waits;
  logic [15:0] change;             // place of the first pixel of another run
  logic [1:0] next;

  assign current = begins_q ? classes_i[0] : class_q;
  assign waits = begins_q && !valid_i;
  assign further = start_i || waits || final_q ? width_i : rest_q - 16'(PIXELS);

  always_comb begin
    change = '0;
    next = current;
    for (int unsigned i = 0; i < PIXELS; i++) begin
      differs[i] = classes_i[i] != current && inside_q[i] && !told_q[i];
    end
    for (int i = int'(PIXELS) - 1; i >= 0; i--) begin
      if (differs[i]) begin
        change = 16'(i);
        next = classes_i[i];
      end
    end
  end

  assign changes = differs != '0;
  assign ends = !changes && final_q;
  assign run_valid_o = valid_i && (changes || ends);
  assign ready_o = !changes && (!ends || run_ready_i);
  assign class_o = current;
  assign begin_o = begin_q;
  assign end_o = changes ? column_q + change : width_i;
  assign last_o = ends;

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      if (changes) begin
        if (run_ready_i) begin
          class_q <= next;
          begins_q <= 1'b0;
          begin_q <= column_q + change;
          for (int unsigned i = 0; i < PIXELS; i++) told_q[i] <= 16'(i) <= change;
        end
      end else if (ready_o) begin
        class_q <= current;
        begins_q <= ends;
        told_q <= '0;
        column_q <= ends ? '0 : column_q + 16'(PIXELS);
        if (ends) begin_q <= '0;
      end
    end
    if (rst_i || start_i) begin
      column_q <= '0;
      begin_q <= '0;
      told_q <= '0;
      begins_q <= 1'b1;
    end
    if (start_i || waits || (valid_i && ready_o)) begin
      rest_q <= further;
      final_q <= further <= 16'(PIXELS);
      for (int unsigned i = 0; i < PIXELS; i++) inside_q[i] <= 16'(i) < further;
    end
  end
endmodule
