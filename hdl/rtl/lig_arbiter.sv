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
    input logic clk_i, rst_i,  // reset: synchronous, high

    lig_axis_if.receiver s_axis[INPUTS],
    lig_axis_if.transmitter m_axis,
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

  // The inputs side by side; unpacked, because simulators handle wide words slowly.
  logic [INPUTS-1:0] tvalid, tready, tlast;
  logic [DATA_WIDTH-1:0] tdata[INPUTS];
  logic [KEEP_WIDTH-1:0] tkeep[INPUTS];
  for (genvar i = 0; i < INPUTS; i++) begin : g_input
    assign tvalid[i] = s_axis[i].tvalid;
    assign tdata[i] = s_axis[i].tdata;
    assign tkeep[i] = s_axis[i].tkeep;
    assign tlast[i] = s_axis[i].tlast;
    assign s_axis[i].tready = tready[i];
  end

  // x & -x is the lowest one of x.
  assign later_first = (tvalid & later_q) & (~(tvalid & later_q) + 1'b1);
  assign any_first = tvalid & (~tvalid + 1'b1);
  assign pick = |(tvalid & later_q) ? later_first : any_first;
  assign grant = held_q ? turn_q : pick;

  assign move = m_axis.tready || !out_valid_q;
  assign tready = move ? grant : '0;
  assign taken = move && |(tvalid & grant);

  always_comb begin
    data = '0;
    keep = '0;
    last = |(grant & tlast);
    id = '0;
    for (int unsigned i = 0; i < INPUTS; i++) begin
      data |= {DATA_WIDTH{grant[i]}} & tdata[i];
      keep |= {KEEP_WIDTH{grant[i]}} & tkeep[i];
      id |= {ID_WIDTH{grant[i]}} & ID_WIDTH'(i);
    end
  end

  assign m_axis.tvalid = out_valid_q;
  assign m_axis.tdata = data_q;
  assign m_axis.tkeep = keep_q;
  assign m_axis.tlast = last_q;
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
    lig_axis_rules #(.DATA_WIDTH(DATA_WIDTH), .KEEP_WIDTH(KEEP_WIDTH)) rules_s (
        .clk_i, .rst_i, .tvalid(s_axis[i].tvalid), .tready(s_axis[i].tready), .tdata(s_axis[i].tdata),
        .tkeep(s_axis[i].tkeep), .tlast(s_axis[i].tlast));
  end
  lig_axis_rules #(.DATA_WIDTH(DATA_WIDTH), .KEEP_WIDTH(KEEP_WIDTH)) rules_m (
      .clk_i, .rst_i, .tvalid(m_axis.tvalid), .tready(m_axis.tready), .tdata(m_axis.tdata),
      .tkeep(m_axis.tkeep), .tlast(m_axis.tlast));
`endif
endmodule
