// SPDX-License-Identifier: Apache-2.0
//
// lig_length: measures each frame and compares it with the length in its header.
//
// It sits in a stream without delaying it, and says on the last beat whether the frame is what its header
// announced (spec/wire/stream.md, section 2). m_axis_tuser is high on the last beat of a frame that is not:
// lig_fifo_drop and lig_fifo_last then drop it whole. A frame has begun to pass when that is known, so
// where nothing drops it, a consumer has to look at tuser itself.
//
//   latency              0 cycles; the results one cycle behind the last beat
//   initiation interval  1
//   storage              counters
module lig_length #(
    parameter int unsigned DATA_WIDTH = 64  // bits: 64, 128, 256, 512
) (
    input logic clk_i, rst_i,  // reset: synchronous, high

    lig_axis_if.receiver s_axis,

    lig_axis_if.marking m_axis,

    output logic        done_o,     // one cycle per frame; with it:
    output logic [32:0] body_o,     // bytes behind the header, front padding included
    output logic        runt_o,     // fewer bytes than announced
    output logic        oversize_o  // more bytes than announced
);
  if (DATA_WIDTH != 64 && DATA_WIDTH != 128 && DATA_WIDTH != 256 && DATA_WIDTH != 512) begin : g_rule_data_width
    $fatal(1, "lig_length: rule data_width: DATA_WIDTH = %0d, one of 64, 128, 256, 512 is needed", DATA_WIDTH);
  end

  localparam int unsigned Lanes = DATA_WIDTH / 8;
  localparam int unsigned L = $clog2(Lanes);
  localparam logic [1:0] Head = DATA_WIDTH == 64 ? 2'd2 : 2'd1;

  logic [1:0] head_q;  // header beats that have passed
  logic [32:0] counted_q, counted, announced_q, announced;
  logic [L:0] kept;
  logic beat, in_header, runt, oversize;

  assign beat = s_axis.tvalid && m_axis.tready;
  assign in_header = head_q != Head;

  // Of a thermometer, the number of ones is found by halving.
  always_comb begin
    kept = '0;
    for (int b = int'(L) - 1; b >= 0; b--) begin
      if (s_axis.tkeep[L'(kept) | L'((1 << b) - 1)]) kept = kept | (L + 1)'(1 << b);
    end
    if (&s_axis.tkeep) kept = (L + 1)'(Lanes);
  end

  // The first 8 bytes of a header: length in bits 0..31, pad in 56..61.
  assign announced = head_q == '0 ? 33'(s_axis.tdata[31:0]) + 33'(s_axis.tdata[61:56]) : announced_q;
  assign counted = in_header ? '0 : counted_q + 33'(kept);
  assign runt = counted < announced || (in_header && head_q != Head - 1'b1);
  assign oversize = counted > announced;

  assign s_axis.tready = m_axis.tready;
  assign m_axis.tvalid = s_axis.tvalid;
  assign m_axis.tdata = s_axis.tdata;
  assign m_axis.tkeep = s_axis.tkeep;
  assign m_axis.tlast = s_axis.tlast;
  assign m_axis.tuser = s_axis.tlast && (runt || oversize);

  always_ff @(posedge clk_i) begin
    done_o <= beat && s_axis.tlast;
    if (beat) begin
      head_q <= s_axis.tlast ? '0 : in_header ? head_q + 1'b1 : head_q;
      counted_q <= s_axis.tlast ? '0 : counted;
      announced_q <= announced;
      body_o <= counted;
      runt_o <= runt;
      oversize_o <= oversize;
    end
    if (rst_i) begin
      head_q <= '0;
      counted_q <= '0;
      done_o <= 1'b0;
    end
  end

`ifdef LIG_RULES
  lig_axis_rules #(.DATA_WIDTH(DATA_WIDTH)) rules_s (
      .clk_i, .rst_i, .tvalid(s_axis.tvalid), .tready(s_axis.tready), .tdata(s_axis.tdata),
      .tkeep(s_axis.tkeep), .tlast(s_axis.tlast));
`endif
endmodule
