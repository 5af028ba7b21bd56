// SPDX-License-Identifier: Apache-2.0
//
// lig_width: changes the width of a stream, 64..512 bits to 64..512 bits.
//
// It knows where the header of a frame ends (spec/wire/stream.md, section 3): the header has a beat of its
// own at every width but 64, where it has two, so the body begins in lane 0 of a beat on both sides. The
// first 16 bytes are therefore never joined with what follows them, and the zeros that fill up a wide
// header beat are not sent as beats of a narrow stream. HEADER = 0 makes it an ordinary adapter.
//
// Wider: beats are collected; the last of a group goes straight from the input into the output register.
// Narrower: the beat stays in a register and leaves lane by lane; empty lanes behind the tail are skipped.
// A frame that ends within its header (runt) passes as it is.
//
//   latency              1 cycle behind the beat that completes a wide one; 1 cycle to the first narrow one
//   initiation interval  1 on the narrower side
//   storage              2 wide beats (wider), 1 wide beat (narrower)
module lig_width #(
    parameter int unsigned S_WIDTH = 64,  // bits of the input: 64, 128, 256, 512
    parameter int unsigned M_WIDTH = 64,  // bits of the output: the same choice
    parameter bit HEADER = 1'b1
) (
    input logic clk_i, rst_i,  // reset: synchronous, high

    lig_axis_if.receiver s_axis,
    lig_axis_if.transmitter m_axis
);
  if (S_WIDTH != 64 && S_WIDTH != 128 && S_WIDTH != 256 && S_WIDTH != 512) begin : g_rule_s_width
    $fatal(1, "lig_width: rule s_width: S_WIDTH = %0d, one of 64, 128, 256, 512 is needed", S_WIDTH);
  end
  if (M_WIDTH != 64 && M_WIDTH != 128 && M_WIDTH != 256 && M_WIDTH != 512) begin : g_rule_m_width
    $fatal(1, "lig_width: rule m_width: M_WIDTH = %0d, one of 64, 128, 256, 512 is needed", M_WIDTH);
  end

  // Simulators: only a beat that passes changes anything.
  logic clk;
  lig_gate gate (
      .clk_i, .rst_i, .wake_i((s_axis.tvalid && s_axis.tready) || (m_axis.tvalid && m_axis.tready)), .clk_o(clk));

  if (S_WIDTH == M_WIDTH) begin : g_same
    lig_skid #(.DATA_WIDTH(S_WIDTH)) skid (.clk_i(clk), .rst_i, .s_axis, .m_axis);

  end else if (S_WIDTH < M_WIDTH) begin : g_wider
    localparam int unsigned Lanes = M_WIDTH / S_WIDTH;
    localparam int unsigned L = $clog2(Lanes);
    localparam int unsigned K = S_WIDTH / 8;
    // Beats of the header at the input.
    localparam int unsigned Head = S_WIDTH == 64 ? 2 : 1;

    logic [L-1:0] lane_q;
    logic [Lanes-1:0][S_WIDTH-1:0] data_q, data;
    logic [Lanes-1:0][K-1:0] keep_q, keep;
    logic in_header_q, header_end, complete, move;
    logic [M_WIDTH-1:0] out_data_q;
    logic [M_WIDTH/8-1:0] out_keep_q;
    logic out_last_q, out_valid_q;

    assign header_end = in_header_q && lane_q == L'(Head - 1);
    assign complete = s_axis.tlast || header_end || lane_q == L'(Lanes - 1);
    assign move = m_axis.tready || !out_valid_q;
    assign s_axis.tready = !complete || move;

    // What was collected, with the input's beat in its lane.
    always_comb begin
      data = data_q;
      keep = keep_q;
      data[lane_q] = s_axis.tdata;
      keep[lane_q] = s_axis.tkeep;
      // Zeros fill the header's beat, and count as kept: only a last beat may be partial.
      if (header_end && !s_axis.tlast) keep = '1;
    end

    assign m_axis.tvalid = out_valid_q;
    assign m_axis.tdata = out_data_q;
    assign m_axis.tkeep = out_keep_q;
    assign m_axis.tlast = out_last_q;

    always_ff @(posedge clk) begin
      if (move) out_valid_q <= s_axis.tvalid && complete;
      if (move && s_axis.tvalid && complete) begin
        out_data_q <= data;
        out_keep_q <= keep;
        out_last_q <= s_axis.tlast;
      end
      if (s_axis.tvalid && s_axis.tready) begin
        lane_q <= complete ? '0 : lane_q + 1'b1;
        data_q <= complete ? '0 : data;
        keep_q <= complete ? '0 : keep;
        if (s_axis.tlast) in_header_q <= HEADER;
        else if (complete) in_header_q <= 1'b0;
      end
      if (rst_i) begin
        out_valid_q <= 1'b0;
        lane_q <= '0;
        data_q <= '0;
        keep_q <= '0;
        in_header_q <= HEADER;
      end
    end

  end else begin : g_narrower
    localparam int unsigned Lanes = S_WIDTH / M_WIDTH;
    localparam int unsigned L = $clog2(Lanes);
    // Beats of the header at the output.
    localparam int unsigned Head = M_WIDTH == 64 ? 2 : 1;

    logic [L-1:0] lane_q, last_lane;
    logic [Lanes-1:0][M_WIDTH-1:0] data_q;
    logic [Lanes-1:0][M_WIDTH/8-1:0] keep_q;
    logic last_q, valid_q, in_header_q, final_lane, accept;

    // The last lane that holds something.
    always_comb begin
      last_lane = '0;
      for (int unsigned i = 1; i < Lanes; i++) if (keep_q[i][0]) last_lane = L'(i);
      if (in_header_q && 32'(last_lane) >= Head) last_lane = L'(Head - 1);
    end

    assign final_lane = lane_q == last_lane;
    assign accept = !valid_q || (m_axis.tready && final_lane);
    assign s_axis.tready = accept;
    assign m_axis.tvalid = valid_q;
    assign m_axis.tdata = data_q[lane_q];
    assign m_axis.tkeep = keep_q[lane_q];
    assign m_axis.tlast = last_q && final_lane;

    always_ff @(posedge clk) begin
      if (valid_q && m_axis.tready) begin
        lane_q <= final_lane ? '0 : lane_q + 1'b1;
        if (final_lane) in_header_q <= last_q && HEADER;
      end
      if (accept) begin
        valid_q <= s_axis.tvalid;
        data_q <= s_axis.tdata;
        keep_q <= s_axis.tkeep;
        last_q <= s_axis.tlast;
      end
      if (rst_i) begin
        valid_q <= 1'b0;
        lane_q <= '0;
        in_header_q <= HEADER;
      end
    end
  end

`ifdef LIG_RULES
  lig_axis_rules #(.DATA_WIDTH(S_WIDTH)) rules_s (
      .clk_i, .rst_i, .tvalid(s_axis.tvalid), .tready(s_axis.tready), .tdata(s_axis.tdata),
      .tkeep(s_axis.tkeep), .tlast(s_axis.tlast));
  lig_axis_rules #(.DATA_WIDTH(M_WIDTH)) rules_m (
      .clk_i, .rst_i, .tvalid(m_axis.tvalid), .tready(m_axis.tready), .tdata(m_axis.tdata),
      .tkeep(m_axis.tkeep), .tlast(m_axis.tlast));
`endif
endmodule
