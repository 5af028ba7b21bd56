// SPDX-License-Identifier: Apache-2.0
//
// lig_axis_rules: what both ends of a stream may rely on, checked on every cycle.
//
// It watches one AXI-Stream and drives nothing. Each catalogue module puts one on each of its ports when
// LIG_RULES is defined (all benches do); a vendor's simulator may define it as well. A broken rule stops
// the simulation with the rule and the instance. In a formal run the same rules are proven, or assumed
// of the environment where ASSUME is 1.
//
//   rule       what                                              why
//   reset      tvalid is low in the cycle after a reset cycle    a beat of the old life must not be taken
//   retract    tvalid stays high until tready                    a slave may decide on having seen it
//   stable     the payload stays while it waits                  a slave may look at it early
//   whole      tkeep is all ones but on the last beat            receivers count beats, not lanes
//   tail       on the last beat the kept lanes are 0..n, n >= 0  an exact length without holes
//
// WHOLE = 0 switches the last two off. So does a KEEP_WIDTH that is not one bit per lane: such modules carry an encoded
// tail in tkeep's place.
module lig_axis_rules #(
    parameter int unsigned DATA_WIDTH = 64,
    parameter int unsigned KEEP_WIDTH = DATA_WIDTH / 8,
    parameter bit WHOLE = KEEP_WIDTH == DATA_WIDTH / 8,
    parameter bit ASSUME = 1'b0
) (
    input logic                  clk_i,
    input logic                  rst_i,
    input logic                  tvalid,
    input logic                  tready,
    input logic [DATA_WIDTH-1:0] tdata,
    input logic [KEEP_WIDTH-1:0] tkeep,
    input logic                  tlast
);
  // The cycle before: nothing is known of it until the first reset.
  logic seen_q, rst_q, waiting_q;
  initial seen_q = 1'b0;
  logic [DATA_WIDTH-1:0] data_q;
  logic [KEEP_WIDTH-1:0] keep_q;
  logic last_q;

  always_ff @(posedge clk_i) begin
    seen_q <= seen_q || rst_i;
    rst_q <= rst_i;
    waiting_q <= !rst_i && tvalid && !tready;
    data_q <= tdata;
    keep_q <= tkeep;
    last_q <= tlast;
  end

  logic ok_reset, ok_retract, ok_stable, ok_whole, ok_tail;
  assign ok_reset = !(rst_q && tvalid);
  assign ok_retract = !(waiting_q && !tvalid);
  assign ok_stable = !(waiting_q && tvalid) || (data_q == tdata && keep_q == tkeep && last_q == tlast);
  assign ok_whole = !WHOLE || !tvalid || tlast || (&tkeep);
  assign ok_tail = !WHOLE || !tvalid || !tlast || (tkeep[0] && (tkeep & (tkeep + 1'b1)) == '0);

`ifdef FORMAL
  // A proof starts in reset (its top assumes that), with nothing waiting.
  initial rst_q = 1'b0;
  initial waiting_q = 1'b0;
  if (ASSUME) begin : g_assume
    always_comb begin
      assume (ok_reset);
      if (!rst_i) assume (ok_retract && ok_stable && ok_whole && ok_tail);
    end
  end else begin : g_assert
    always_comb begin
      assert (ok_reset);
      if (!rst_i) begin
        assert (ok_retract);
        assert (ok_stable);
        assert (ok_whole);
        assert (ok_tail);
      end
    end
  end
  logic unused_seen;
  assign unused_seen = seen_q;
`else
  always_ff @(posedge clk_i) begin
    if (seen_q && !rst_i) begin
      if (!ok_reset) $fatal(1, "%m: rule reset: tvalid is high in the cycle after reset");
      if (!ok_retract) $fatal(1, "%m: rule retract: tvalid fell before tready");
      if (!ok_stable) $fatal(1, "%m: rule stable: the payload changed while it waited");
      if (!ok_whole) $fatal(1, "%m: rule whole: tkeep is not all ones before the last beat");
      if (!ok_tail) $fatal(1, "%m: rule tail: the last beat keeps no lane, or lanes with a hole");
    end
  end
  logic unused_assume;
  assign unused_assume = ASSUME;
`endif
endmodule
