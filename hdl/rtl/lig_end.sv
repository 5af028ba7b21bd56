// SPDX-License-Identifier: Apache-2.0
//
// lig_end: joins a stream of one width and clock to a stream of another: what stands between a node and a
// network (lig_topic) that are not alike. It is lig_width and lig_afifo, whichever is needed, in an order
// that costs neither side its rate.
//
//   S_WIDTH < M_WIDTH   s_clk_i: lig_width --> lig_afifo :m_clk_i
//   S_WIDTH > M_WIDTH   s_clk_i: lig_afifo --> lig_width :m_clk_i
//   equal               lig_afifo alone
//
// The width changes in the clock of the narrower side, where a beat goes by in every cycle; wide beats cross.
// The other way round, 64 bits at 250 MHz would have to leave a crossing at 100 MHz as they are, and 60 of
// 100 beats would wait. The price is a crossing of DEPTH wide beats, in distributed memory.
//
// CROSS = 0: both sides have one clock, which is s_clk_i; of m_clk_i and m_rst_i no use is made. Then equal
// widths are wires.
//
// Reset: as lig_afifo wants it, both resets held together for 4 cycles of the slower clock. What is inside is
// lost, whole frames or not.
//
//   latency              1 cycle of the narrower side's clock (lig_width), and the crossing's (lig_afifo)
//   initiation interval  1 of the slower side: the one that moves fewer bytes per second
//   storage              that of lig_width, DEPTH beats of the wider side
module lig_end #(
    parameter int unsigned S_WIDTH = 64,    // bits of the input: 64, 128, 256, 512
    parameter int unsigned M_WIDTH = 64,    // bits of the output: the same choice
    parameter bit CROSS = 1'b1,             // the two sides have clocks of their own
    parameter int unsigned DEPTH = 16,      // of the crossing, see lig_afifo
    parameter int unsigned SYNC_STAGES = 2  // the same
) (
    input  logic                 s_clk_i,
    input  logic                 s_rst_i,  // synchronous, high
    lig_axis_if.receiver s_axis,

    input  logic                 m_clk_i,
    input  logic                 m_rst_i,  // synchronous, high
    lig_axis_if.transmitter m_axis
);
  // Those on DEPTH and SYNC_STAGES are lig_afifo's.
  if (S_WIDTH != 64 && S_WIDTH != 128 && S_WIDTH != 256 && S_WIDTH != 512) begin : g_rule_s_width
    $fatal(1, "lig_end: rule s_width: S_WIDTH = %0d, one of 64, 128, 256, 512 is needed", S_WIDTH);
  end
  if (M_WIDTH != 64 && M_WIDTH != 128 && M_WIDTH != 256 && M_WIDTH != 512) begin : g_rule_m_width
    $fatal(1, "lig_end: rule m_width: M_WIDTH = %0d, one of 64, 128, 256, 512 is needed", M_WIDTH);
  end

  localparam int unsigned Wide = S_WIDTH > M_WIDTH ? S_WIDTH : M_WIDTH;

  // The stream of wide beats on either side of the crossing.
  lig_axis_if #(.DATA_WIDTH(Wide)) ahead (), after ();

  if (S_WIDTH < M_WIDTH) begin : g_widen
    lig_width #(.S_WIDTH(S_WIDTH), .M_WIDTH(M_WIDTH)) width (
        .clk_i(s_clk_i), .rst_i(s_rst_i), .s_axis, .m_axis(ahead));
  end else begin : g_as_it_comes
    lig_axis_wire as_it_comes (.s_axis, .m_axis(ahead));
  end

  logic out_clk, out_rst;
  if (CROSS) begin : g_cross
    lig_afifo #(.DATA_WIDTH(Wide), .DEPTH(DEPTH), .SYNC_STAGES(SYNC_STAGES)) crossing (
        .s_clk_i, .s_rst_i, .s_axis(ahead), .m_clk_i, .m_rst_i, .m_axis(after));
    assign out_clk = m_clk_i;
    assign out_rst = m_rst_i;
  end else begin : g_one_clock
    logic unused_m;
    assign unused_m = m_clk_i ^ m_rst_i;
    lig_axis_wire one_clock (.s_axis(ahead), .m_axis(after));
    assign out_clk = s_clk_i;
    assign out_rst = s_rst_i;
  end

  if (S_WIDTH > M_WIDTH) begin : g_narrow
    lig_width #(.S_WIDTH(S_WIDTH), .M_WIDTH(M_WIDTH)) width (
        .clk_i(out_clk), .rst_i(out_rst), .s_axis(after), .m_axis);
  end else begin : g_as_it_goes
    logic unused_out;
    assign unused_out = out_clk ^ out_rst;
    lig_axis_wire as_it_goes (.s_axis(after), .m_axis);
  end
endmodule
