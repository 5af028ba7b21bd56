// SPDX-License-Identifier: Apache-2.0
//
// hmt_node: a node whose work takes CYCLES per beat and leaves the data as it is, in one of two modes.
//
//   sequential   takes a whole frame, works, sends it: nothing overlaps
//   dataflow     works on each beat as it comes: the three phases overlap, and so do neighbouring nodes
module hmt_node #(
    parameter int unsigned DATA_WIDTH = 64,
    parameter bit DATAFLOW = 1'b0,
    parameter int unsigned CYCLES = 1,      // of work per beat; 1..8
    parameter int unsigned MOST = 1 << 16   // beats of a frame, sequential
) (
    input logic clk_i,
    input logic rst_i,
    lig_axis_if.receiver s_axis,
    lig_axis_if.transmitter m_axis
);
  localparam int unsigned W = DATA_WIDTH + DATA_WIDTH / 8 + 1;
  wire [W-1:0] beat = {s_axis.tlast, s_axis.tkeep, s_axis.tdata};

  if (DATAFLOW) begin : g_dataflow
    logic [W-1:0] beat_q;
    logic full_q;
    logic [3:0] left_q;  // cycles of work that the beat still needs
    wire leaves = m_axis.tvalid && m_axis.tready;
    assign m_axis.tvalid = full_q && left_q == 4'd0;
    assign {m_axis.tlast, m_axis.tkeep, m_axis.tdata} = beat_q;
    assign s_axis.tready = !full_q || leaves;
    always_ff @(posedge clk_i) begin
      if (s_axis.tvalid && s_axis.tready) begin
        beat_q <= beat;
        full_q <= 1'b1;
        left_q <= 4'(CYCLES - 1);
      end else begin
        if (leaves) full_q <= 1'b0;
        if (left_q != 4'd0) left_q <= left_q - 4'd1;
      end
      if (rst_i) full_q <= 1'b0;
    end
  end else begin : g_sequential
    localparam int unsigned A = $clog2(MOST);
    typedef enum logic [1:0] {Take, Work, Send} phase_e;
    logic [W-1:0] memory[MOST];
    phase_e phase_q;
    logic [A:0] beats_q, place_q;
    logic [A+4:0] left_q;
    assign s_axis.tready = phase_q == Take;
    assign m_axis.tvalid = phase_q == Send;
    assign {m_axis.tlast, m_axis.tkeep, m_axis.tdata} = memory[place_q[A-1:0]];
    always_ff @(posedge clk_i) begin
      case (phase_q)
        Take:
        if (s_axis.tvalid) begin
          memory[beats_q[A-1:0]] <= beat;
          beats_q <= beats_q + 1'b1;
          if (s_axis.tlast) begin
            phase_q <= Work;
            left_q <= (A + 5)'(beats_q + 1'b1) * (A + 5)'(CYCLES) - 1'b1;
          end
        end
        Work: begin
          left_q <= left_q - 1'b1;
          if (left_q == '0) phase_q <= Send;
        end
        default:
        if (m_axis.tready) begin
          place_q <= place_q + 1'b1;
          if (m_axis.tlast) begin
            phase_q <= Take;
            place_q <= '0;
            beats_q <= '0;
          end
        end
      endcase
      if (rst_i) begin
        phase_q <= Take;
        place_q <= '0;
        beats_q <= '0;
      end
    end
  end
endmodule
