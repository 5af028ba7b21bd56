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

    input  logic                    s_axis_tvalid,
    output logic                    s_axis_tready,
    input  logic [DATA_WIDTH-1:0]   s_axis_tdata,
    input  logic [DATA_WIDTH/8-1:0] s_axis_tkeep,
    input  logic                    s_axis_tlast,

    output logic                    m_axis_tvalid,
    input  logic                    m_axis_tready,
    output logic [DATA_WIDTH-1:0]   m_axis_tdata,
    output logic [DATA_WIDTH/8-1:0] m_axis_tkeep,
    output logic                    m_axis_tlast
);
  localparam int unsigned W = DATA_WIDTH + DATA_WIDTH / 8 + 1;
  wire [W-1:0] beat = {s_axis_tlast, s_axis_tkeep, s_axis_tdata};

  if (DATAFLOW) begin : g_dataflow
    logic [W-1:0] beat_q;
    logic full_q;
    logic [3:0] left_q;  // cycles of work that the beat still needs
    wire leaves = m_axis_tvalid && m_axis_tready;
    assign m_axis_tvalid = full_q && left_q == 4'd0;
    assign {m_axis_tlast, m_axis_tkeep, m_axis_tdata} = beat_q;
    assign s_axis_tready = !full_q || leaves;
    always_ff @(posedge clk_i) begin
      if (s_axis_tvalid && s_axis_tready) begin
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
    assign s_axis_tready = phase_q == Take;
    assign m_axis_tvalid = phase_q == Send;
    assign {m_axis_tlast, m_axis_tkeep, m_axis_tdata} = memory[place_q[A-1:0]];
    always_ff @(posedge clk_i) begin
      case (phase_q)
        Take:
        if (s_axis_tvalid) begin
          memory[beats_q[A-1:0]] <= beat;
          beats_q <= beats_q + 1'b1;
          if (s_axis_tlast) begin
            phase_q <= Work;
            left_q <= (A + 5)'(beats_q + 1'b1) * (A + 5)'(CYCLES) - 1'b1;
          end
        end
        Work: begin
          left_q <= left_q - 1'b1;
          if (left_q == '0) phase_q <= Send;
        end
        default:
        if (m_axis_tready) begin
          place_q <= place_q + 1'b1;
          if (m_axis_tlast) begin
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
