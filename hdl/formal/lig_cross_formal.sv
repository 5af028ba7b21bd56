// SPDX-License-Identifier: Apache-2.0
//
// lig_cross, by induction: what goes in comes out, in order, once, unchanged. Both clocks are free inputs: their edges
// come at any moments, together or not. The two halves of lig_cross are joined here by wires that are as slow as
// constraints allow: of a count that changed, each bit arrives by itself, at the latest with the next edge of its own clock.
//
// The invariant is a chain of counts, each at most as far as the next, counted from the oldest one that is known:
//
//   read, as the writer knows it (2, 1) <= read <= written, as the reader knows it (2, 1) <= written
//   <= the first + DEPTH
//
// `before` is a count before its last edge: what may still be on the wires, at most one less. One word is followed: that
// of any number, which the solver chooses. REACH denies that the queue is ever full with a word offered, and has to fail.
module lig_cross_formal #(
    parameter int unsigned DEPTH = 4,
    localparam int unsigned A = $clog2(DEPTH),
    localparam int unsigned W = 2
) (
    input logic s_clk_i, m_clk_i, s_valid, m_ready, input logic [W-1:0] s_data,
    input logic [A:0] write_late, read_late,  // bits that have not arrived, if they changed
    input logic [A:0] number                  // of the word that is followed, modulo 2 DEPTH
);
  logic [A:0] write_gray, read_gray, write_arrived, read_arrived;
  logic [A-1:0] address;
  logic [W-1:0] word, m_data;
  logic s_ready, m_valid;

  lig_cross_write #(.WIDTH(W), .DEPTH(DEPTH)) writer (
      .clk_i(s_clk_i), .rst_i(1'b0), .valid_i(s_valid), .ready_o(s_ready), .data_i(s_data),
      .write_gray_o(write_gray), .read_gray_i(read_arrived), .address_i(address), .word_o(word));
  lig_cross_read #(.WIDTH(W), .DEPTH(DEPTH)) reader (
      .clk_i(m_clk_i), .rst_i(1'b0), .write_gray_i(write_arrived), .read_gray_o(read_gray), .address_o(address),
      .word_i(word), .valid_o(m_valid), .ready_i(m_ready), .data_o(m_data));

  // --- the wires ----------------------------------------------------------------------------------------

  logic [A:0] write_before_q, read_before_q;
  initial {write_before_q, read_before_q} = '0;
  always_ff @(posedge s_clk_i) write_before_q <= write_gray;
  always_ff @(posedge m_clk_i) read_before_q <= read_gray;
  // What has arrived whole stays.
  assign write_arrived = reader.writes.seen_q[0] == write_gray ? write_gray
                       : (write_late & write_before_q) | (~write_late & write_gray);
  assign read_arrived = writer.reads.seen_q[0] == read_gray ? read_gray
                      : (read_late & read_before_q) | (~read_late & read_gray);

  // --- the chain ----------------------------------------------------------------------------------------

  function automatic logic [A:0] count_of(input logic [A:0] gray);
    for (int i = 0; i <= int'(A); i++) count_of[i] = ^(gray >> i);
  endfunction

  logic [A:0] base, seen_read, read, seen_write_2, seen_write_1, written;
  assign base = count_of(writer.reads.seen_q[1]);
  assign seen_read = count_of(writer.reads.seen_q[0]) - base;
  assign read = reader.read_q - base;
  assign seen_write_2 = count_of(reader.writes.seen_q[1]) - base;
  assign seen_write_1 = count_of(reader.writes.seen_q[0]) - base;
  assign written = writer.write_q - base;

  always_comb begin
    assert (count_of(write_gray) == writer.write_q);
    assert (count_of(read_gray) == reader.read_q);
    assert (seen_read <= read && read <= seen_write_2);
    assert (seen_write_2 <= seen_write_1 && seen_write_1 <= written);
    assert (written <= (A + 1)'(DEPTH));
    // A step per edge.
    assert (reader.read_q - count_of(read_before_q) <= (A + 1)'(1));
    assert (writer.write_q - count_of(write_before_q) <= (A + 1)'(1));
  end

  // --- the word -----------------------------------------------------------------------------------------

  logic [A:0] number_q;
  logic known_q;
  initial known_q = 1'b0;
  always_ff @(posedge s_clk_i) begin
    known_q <= 1'b1;
    number_q <= number;
  end
  always_comb if (known_q) assume (number == number_q);

  logic [W-1:0] word_q;
  always_ff @(posedge s_clk_i) if (s_valid && s_ready && writer.write_q == number) word_q <= s_data;

  always_comb begin
    // Nothing comes before the first edge.
    if (!known_q) assert (writer.write_q == '0 && reader.read_q == '0 && base == '0 && !m_valid);
    // While it waits it is in memory, and nothing else is written there.
    if (known_q && number - reader.read_q < written - read) assert (writer.memory[number[A-1:0]] == word_q);
    // Words come out by their numbers, one step per word: so this is the word's turn, its only one.
    if (known_q && m_valid && reader.read_q - (A + 1)'(1) == number) assert (m_data == word_q);
  end

`ifdef REACH
  always_comb assert (!(m_valid && written == (A + 1)'(DEPTH)));
`endif
endmodule
