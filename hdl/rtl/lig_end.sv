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
    input  logic                 s_axis_tvalid,
    output logic                 s_axis_tready,
    input  logic [S_WIDTH-1:0]   s_axis_tdata,
    input  logic [S_WIDTH/8-1:0] s_axis_tkeep,
    input  logic                 s_axis_tlast,

    input  logic                 m_clk_i,
    input  logic                 m_rst_i,  // synchronous, high
    output logic                 m_axis_tvalid,
    input  logic                 m_axis_tready,
    output logic [M_WIDTH-1:0]   m_axis_tdata,
    output logic [M_WIDTH/8-1:0] m_axis_tkeep,
    output logic                 m_axis_tlast
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
  logic before_valid, before_ready, before_last, after_valid, after_ready, after_last;
  logic [Wide-1:0] before_data, after_data;
  logic [Wide/8-1:0] before_keep, after_keep;

  if (S_WIDTH < M_WIDTH) begin : g_widen
    lig_width #(.S_WIDTH(S_WIDTH), .M_WIDTH(M_WIDTH)) width (
        .clk_i(s_clk_i), .rst_i(s_rst_i),
        .s_axis_tvalid, .s_axis_tready, .s_axis_tdata, .s_axis_tkeep, .s_axis_tlast,
        .m_axis_tvalid(before_valid), .m_axis_tready(before_ready), .m_axis_tdata(before_data),
        .m_axis_tkeep(before_keep), .m_axis_tlast(before_last));
  end else begin : g_as_it_comes
    assign before_valid = s_axis_tvalid;
    assign s_axis_tready = before_ready;
    assign before_data = s_axis_tdata;
    assign before_keep = s_axis_tkeep;
    assign before_last = s_axis_tlast;
  end

  logic out_clk, out_rst;
  if (CROSS) begin : g_cross
    lig_afifo #(.DATA_WIDTH(Wide), .DEPTH(DEPTH), .SYNC_STAGES(SYNC_STAGES)) crossing (
        .s_clk_i, .s_rst_i,
        .s_axis_tvalid(before_valid), .s_axis_tready(before_ready), .s_axis_tdata(before_data),
        .s_axis_tkeep(before_keep), .s_axis_tlast(before_last),
        .m_clk_i, .m_rst_i,
        .m_axis_tvalid(after_valid), .m_axis_tready(after_ready), .m_axis_tdata(after_data),
        .m_axis_tkeep(after_keep), .m_axis_tlast(after_last));
    assign out_clk = m_clk_i;
    assign out_rst = m_rst_i;
  end else begin : g_one_clock
    logic unused_m;
    assign unused_m = m_clk_i ^ m_rst_i;
    assign after_valid = before_valid;
    assign before_ready = after_ready;
    assign after_data = before_data;
    assign after_keep = before_keep;
    assign after_last = before_last;
    assign out_clk = s_clk_i;
    assign out_rst = s_rst_i;
  end

  if (S_WIDTH > M_WIDTH) begin : g_narrow
    lig_width #(.S_WIDTH(S_WIDTH), .M_WIDTH(M_WIDTH)) width (
        .clk_i(out_clk), .rst_i(out_rst),
        .s_axis_tvalid(after_valid), .s_axis_tready(after_ready), .s_axis_tdata(after_data),
        .s_axis_tkeep(after_keep), .s_axis_tlast(after_last),
        .m_axis_tvalid, .m_axis_tready, .m_axis_tdata, .m_axis_tkeep, .m_axis_tlast);
  end else begin : g_as_it_goes
    logic unused_out;
    assign unused_out = out_clk ^ out_rst;
    assign m_axis_tvalid = after_valid;
    assign after_ready = m_axis_tready;
    assign m_axis_tdata = after_data;
    assign m_axis_tkeep = after_keep;
    assign m_axis_tlast = after_last;
  end
endmodule
