// SPDX-License-Identifier: Apache-2.0
//
// lig_drive_pixel_store: a whole image, kept until what all of it says is known; the next one comes while it leaves.
//
// A ring of words of three beats each: three pixels of 24 bits fill the 72 bits of an UltraRAM exactly. The memory holds one
// image: the next one takes the places that have been read, so both move at one beat per cycle.
//
// An image comes in at in_*; in_last_i marks its last beat. Then keep_i hands it to the reader, or drop_i forgets it. It leaves
// at out_*; over_i says that it has been used, and must come before the next keep_i.
//
//   latency              keep_i to the first beat: 3 cycles
//   initiation interval  1, in and out
//   storage              BEATS beats, and four words
module lig_drive_pixel_store #(
    parameter int unsigned BEATS = 307200,  // of the largest image, at least 6
    parameter int unsigned WIDTH = 24       // bits of a beat
) (
    input logic clk_i, rst_i,  // reset: synchronous, high

    input  logic             in_valid_i,
    output logic             in_ready_o,
    input  logic [WIDTH-1:0] in_i,
    input  logic             in_last_i,

    input logic keep_i,
    input logic drop_i,
    input logic over_i,

    output logic             out_valid_o,
    input  logic             out_ready_i,
    output logic [WIDTH-1:0] out_o
);
  if (BEATS < 6) begin : g_rule_beats
    $fatal(1, "lig_drive_pixel_store: rule beats: BEATS = %0d, at least 6 are needed", BEATS);
  end

  localparam int unsigned Words = (BEATS + 2) / 3;
  localparam int unsigned Bits = $clog2(Words);
  typedef logic [Bits-1:0] place_t;
  typedef logic [$clog2(Words+1)-1:0] count_t;
  typedef logic [3*WIDTH-1:0] word_t;

  function automatic place_t after(input place_t place);
    return place == place_t'(Words - 1) ? '0 : place + 1'b1;
  endfunction

  (* ram_style = "ultra" *) word_t memory[Words];

  // --- writing --------------------------------------------------------------------------------------------

  place_t write_q, begin_q;  // where the next word goes, and the first of this image went
  count_t used_q, mine_q;    // words that are taken, and those of the image that comes
  logic [1:0] part_q;
  logic [2*WIDTH-1:0] gathered_q;
  word_t word;
  logic take, write, fetch;

  assign in_ready_o = used_q != count_t'(Words);
  assign take = in_valid_i && in_ready_o;
  assign write = take && (part_q == 2'd2 || in_last_i);
  always_comb begin
    word = {in_i, gathered_q};
    if (part_q == 2'd0) word[WIDTH-1:0] = in_i;
    if (part_q == 2'd1) word[2*WIDTH-1:WIDTH] = in_i;
  end

  always_ff @(posedge clk_i) begin
    if (write) memory[write_q] <= word;
  end

  always_ff @(posedge clk_i) begin
    if (take) begin
      part_q <= write ? '0 : part_q + 1'b1;
      if (part_q == 2'd0) gathered_q[WIDTH-1:0] <= in_i;
      if (part_q == 2'd1) gathered_q[2*WIDTH-1:WIDTH] <= in_i;
    end
    used_q <= used_q + count_t'(write) - count_t'(fetch);
    if (write) begin
      write_q <= after(write_q);
      mine_q <= mine_q + 1'b1;
    end
    if (keep_i) begin
      begin_q <= write_q;
      mine_q <= '0;
    end
    if (drop_i) begin
      write_q <= begin_q;
      used_q <= used_q - mine_q - count_t'(fetch);
      mine_q <= '0;
      part_q <= '0;
    end
    if (rst_i) begin
      write_q <= '0;
      begin_q <= '0;
      used_q <= '0;
      mine_q <= '0;
      part_q <= '0;
    end
  end

  // --- reading --------------------------------------------------------------------------------------------

  place_t read_q;
  count_t left_q;      // words still to be read
  word_t found_q, shown_q;
  logic found_valid_q, load;
  logic [1:0] shows_q;  // beats of the word that is shown

  assign load = found_valid_q && (shows_q == 2'd0 || (shows_q == 2'd1 && out_ready_i));
  assign fetch = left_q != '0 && (!found_valid_q || load);
  assign out_valid_o = shows_q != 2'd0;
  assign out_o = shown_q[WIDTH-1:0];

  always_ff @(posedge clk_i) begin
    if (fetch) found_q <= memory[read_q];
  end

  always_ff @(posedge clk_i) begin
    if (fetch) begin
      read_q <= after(read_q);
      left_q <= left_q - 1'b1;
    end
    if (fetch || load) found_valid_q <= fetch;
    if (load) begin
      shown_q <= found_q;
      shows_q <= 2'd3;
    end else if (out_valid_o && out_ready_i) begin
      shown_q <= shown_q >> WIDTH;
      shows_q <= shows_q - 1'b1;
    end
    if (keep_i) left_q <= mine_q;
    // Of the last word, beats may be left that nobody wrote.
    if (over_i || rst_i) begin
      shows_q <= '0;
      found_valid_q <= 1'b0;
    end
    if (rst_i) begin
      read_q <= '0;
      left_q <= '0;
    end
  end

`ifdef LIG_RULES
  always_ff @(posedge clk_i) begin
    assert (rst_i || !over_i || left_q == '0) else $error("lig_drive_pixel_store: over before all words were read");
    assert (rst_i || !(keep_i && in_valid_i)) else $error("lig_drive_pixel_store: an image comes while one is kept");
  end
`endif
endmodule
