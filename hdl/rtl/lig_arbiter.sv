// SPDX-License-Identifier: Apache-2.0
//
// lig_arbiter: joins INPUTS streams into one, a whole frame at a time.
//
// Round robin: after a frame the search begins behind the input that had its turn, so that an input waits
// for INPUTS - 1 frames at most. A turn is held until tlast: frames never mix. No cycle is lost between two
// frames, however short, because the next input is found in the cycle in which its first beat is taken.
// The output is a register: the choice may still change while that is full, and nobody sees it.
//
// m_axis_tid is the number of the input that the beat came from.
//
//   latency              1 cycle
//   initiation interval  1
//   storage              1 beat
module lig_arbiter #(
    parameter int unsigned DATA_WIDTH = 64,  // bits; a multiple of 8, 8..512
    parameter int unsigned KEEP_WIDTH = DATA_WIDTH / 8,
    parameter int unsigned INPUTS = 2,       // 1..64
    parameter int unsigned ID_WIDTH = INPUTS > 1 ? $clog2(INPUTS) : 1  // follows from INPUTS
) (
    input logic clk_i,
    input logic rst_i, // synchronous, high

    input  logic [INPUTS-1:0]                 s_axis_tvalid,
    output logic [INPUTS-1:0]                 s_axis_tready,
    input  logic [INPUTS-1:0][DATA_WIDTH-1:0] s_axis_tdata,
    input  logic [INPUTS-1:0][KEEP_WIDTH-1:0] s_axis_tkeep,
    input  logic [INPUTS-1:0]                 s_axis_tlast,

    output logic                  m_axis_tvalid,
    input  logic                  m_axis_tready,
    output logic [DATA_WIDTH-1:0] m_axis_tdata,
    output logic [KEEP_WIDTH-1:0] m_axis_tkeep,
    output logic                  m_axis_tlast,
    output logic [ID_WIDTH-1:0]   m_axis_tid
);
  if (DATA_WIDTH < 8 || DATA_WIDTH > 512 || DATA_WIDTH % 8 != 0) begin : g_rule_data_width
    $fatal(1, "lig_arbiter: rule data_width: DATA_WIDTH = %0d, a multiple of 8 in 8..512 is needed", DATA_WIDTH);
  end
  if (INPUTS < 1 || INPUTS > 64) begin : g_rule_inputs
    $fatal(1, "lig_arbiter: rule inputs: INPUTS = %0d, 1..64 is needed", INPUTS);
  end

  // later_q: the inputs behind the one that had its turn last. held_q: one has its turn; which: turn_q.
  logic [INPUTS-1:0] later_q, turn_q, later_first, any_first, pick, grant;
  logic held_q, move, taken;
  // Data, keep and last apart: joined they are a wide word, which simulators handle slowly.
  logic [DATA_WIDTH-1:0] data, data_q;
  logic [KEEP_WIDTH-1:0] keep, keep_q;
  logic last, last_q;
  logic [ID_WIDTH-1:0] id, id_q;
  logic out_valid_q;

  // x & -x is the lowest one of x.
  assign later_first = (s_axis_tvalid & later_q) & (~(s_axis_tvalid & later_q) + 1'b1);
  assign any_first = s_axis_tvalid & (~s_axis_tvalid + 1'b1);
  assign pick = |(s_axis_tvalid & later_q) ? later_first : any_first;
  assign grant = held_q ? turn_q : pick;

  assign move = m_axis_tready || !out_valid_q;
  assign s_axis_tready = move ? grant : '0;
  assign taken = move && |(s_axis_tvalid & grant);

  always_comb begin
    data = '0;
    keep = '0;
    last = |(grant & s_axis_tlast);
    id = '0;
    for (int unsigned i = 0; i < INPUTS; i++) begin
      data |= {DATA_WIDTH{grant[i]}} & s_axis_tdata[i];
      keep |= {KEEP_WIDTH{grant[i]}} & s_axis_tkeep[i];
      id |= {ID_WIDTH{grant[i]}} & ID_WIDTH'(i);
    end
  end

  assign m_axis_tvalid = out_valid_q;
  assign m_axis_tdata = data_q;
  assign m_axis_tkeep = keep_q;
  assign m_axis_tlast = last_q;
  assign m_axis_tid = id_q;

  always_ff @(posedge clk_i) begin
    if (move) begin
      out_valid_q <= taken;
      data_q <= data;
      keep_q <= keep;
      last_q <= last;
      id_q <= id;
    end
    if (taken) begin
      held_q <= !last;
      turn_q <= grant;
      later_q <= ~(grant | (grant - 1'b1));
    end
    if (rst_i) begin
      out_valid_q <= 1'b0;
      held_q <= 1'b0;
      later_q <= '0;
    end
  end

`ifdef FORMAL
  initial held_q = 1'b0;
  initial out_valid_q = 1'b0;
  initial later_q = '0;
  always_comb begin
    assert ((grant & (grant - 1'b1)) == '0);
    if (held_q) assert (turn_q != '0 && (turn_q & (turn_q - 1'b1)) == '0);
  end
`endif
`ifdef LIG_RULES
  for (genvar i = 0; i < INPUTS; i++) begin : g_rules
    lig_axis_rules #(.DATA_WIDTH(DATA_WIDTH), .KEEP_WIDTH(KEEP_WIDTH), .WHOLE(KEEP_WIDTH == DATA_WIDTH / 8)) rules_s (
        .clk_i, .rst_i, .tvalid(s_axis_tvalid[i]), .tready(s_axis_tready[i]), .tdata(s_axis_tdata[i]),
        .tkeep(s_axis_tkeep[i]), .tlast(s_axis_tlast[i]));
  end
  lig_axis_rules #(.DATA_WIDTH(DATA_WIDTH), .KEEP_WIDTH(KEEP_WIDTH), .WHOLE(KEEP_WIDTH == DATA_WIDTH / 8)) rules_m (
      .clk_i, .rst_i, .tvalid(m_axis_tvalid), .tready(m_axis_tready), .tdata(m_axis_tdata),
      .tkeep(m_axis_tkeep), .tlast(m_axis_tlast));
`endif
endmodule
