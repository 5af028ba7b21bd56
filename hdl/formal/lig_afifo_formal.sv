// SPDX-License-Identifier: Apache-2.0
//
// lig_afifo, proven to a bound, between two clocks whose edges come in any order and at any distance: nothing is lost, doubled
// or turned around, and nothing leaves before it has come. Each step of the proof is a moment in which either clock may change.
// Registers start from 0, as behind the reset; both sides keep the stream's rules by the way they are made.
module lig_afifo_formal (
    input logic s_clk_i, m_clk_i,
    input logic s_offers, s_keep, s_last, m_takes, input logic [7:0] s_data,
    input logic [3:0] number  // of the beat that is followed
);
  lig_axis_if #(.DATA_WIDTH(8)) s_axis (), m_axis ();
  lig_afifo #(.DATA_WIDTH(8), .DEPTH(8)) dut (
      .s_clk_i, .s_rst_i(1'b0), .s_axis, .m_clk_i, .m_rst_i(1'b0), .m_axis);

  // What a side says changes with its clock.
  logic valid_q, ready_q;
  logic [9:0] beat_q;
  assign s_axis.tvalid = valid_q;
  assign {s_axis.tlast, s_axis.tkeep, s_axis.tdata} = beat_q;
  assign m_axis.tready = ready_q;
  always_ff @(posedge s_clk_i) begin
    if (!valid_q || s_axis.tready) begin
      valid_q <= s_offers;
      beat_q <= {s_last, s_keep, s_data};
    end
  end
  always_ff @(posedge m_clk_i) ready_q <= m_takes;

  // The choice stays (see lig_order).
  logic known_q;
  logic [3:0] number_q;
  always_ff @(posedge s_clk_i) begin
    known_q <= 1'b1;
    number_q <= number;
  end
  always_comb if (known_q) assume (number == number_q);

  logic push, pop;
  logic [4:0] pushed_q, popped_q;
  logic [9:0] kept_q, out;
  assign push = valid_q && s_axis.tready;
  assign pop = m_axis.tvalid && ready_q;
  assign out = {m_axis.tlast, m_axis.tkeep, m_axis.tdata};
  always_ff @(posedge s_clk_i) begin
    if (push) pushed_q <= pushed_q + 1'b1;
    if (push && pushed_q == 5'(number)) kept_q <= beat_q;
  end
  always_ff @(posedge m_clk_i) begin
    if (pop) popped_q <= popped_q + 1'b1;
`ifdef REACH
    assert (popped_q != 5'd9);  // the queue has been around once: that can happen
`else
    if (pop) begin
      assert (popped_q < pushed_q);
      if (popped_q == 5'(number)) assert (out == kept_q);
    end
`endif
  end
endmodule
