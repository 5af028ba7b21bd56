// SPDX-License-Identifier: Apache-2.0
//
// MASTERS copiers on one memory port: a lig_axi_read into a lig_axi_write. Each in a scope of its own, c[i]: a word
// `from` says {beats, address} of a piece to read, `to` the same of one to write, `done` whether memory had an
// error while writing. Beats that memory read with an error are counted.
// verilator lint_off UNDRIVEN
// verilator lint_off UNUSEDSIGNAL
// The far ends are driven and read by the bench.
module lig_axi_mux_tb #(
    parameter int unsigned DATA_WIDTH = 64, BURST_BEATS = 16, DEPTH = 64, OUTSTANDING = 4,  // of each copier
    parameter int unsigned MASTERS = 2, PENDING = 4,
    parameter int unsigned ID_WIDTH = MASTERS > 1 ? $clog2(MASTERS) : 1
) (
    input logic clk_i, rst_i, clear_i,
    output logic [47:0] busy_o, reads_o, writes_o
);
  localparam int unsigned M = MASTERS;
  lig_axi_if #(.DATA_WIDTH(DATA_WIDTH)) each[M] ();
  lig_axi_if #(.DATA_WIDTH(DATA_WIDTH), .ID_WIDTH(ID_WIDTH)) m_axi ();

  for (genvar i = 0; i < M; i++) begin : c
    logic from_tvalid, from_tready, to_tvalid, to_tready, done_tvalid, done_tready;
    logic [95:0] from_tdata, to_tdata;
    logic [7:0] done_tdata;
    logic [31:0] errors, left;
    logic valid, ready, error;
    logic [DATA_WIDTH-1:0] data;
    assign done_tdata[7:1] = '0;

    always_ff @(posedge clk_i) begin
      if (to_tvalid && to_tready) left <= to_tdata[95:64];
      else if (valid && ready) left <= left - 1'b1;
      if (valid && ready && error) errors <= errors + 1'b1;
      if (rst_i) errors <= '0;
    end

    logic reads, writes;
    lig_axi_read #(
        .DATA_WIDTH(DATA_WIDTH), .BURST_BEATS(BURST_BEATS), .DEPTH(DEPTH), .OUTSTANDING(OUTSTANDING)) reader (
        .clk_i, .rst_i, .command_valid_i(from_tvalid), .command_ready_o(from_tready),
        .command_address_i(from_tdata[63:0]), .command_beats_i(from_tdata[95:64]),
        .valid_o(valid), .ready_i(ready), .data_o(data), .error_o(error), .moves_o(reads),
        .m_axi(each[i]));
    lig_axi_write #(
        .DATA_WIDTH(DATA_WIDTH), .BURST_BEATS(BURST_BEATS), .DEPTH(DEPTH), .OUTSTANDING(OUTSTANDING)) writer (
        .clk_i, .rst_i, .command_valid_i(to_tvalid), .command_ready_o(to_tready), .command_address_i(to_tdata[63:0]),
        .valid_i(valid), .ready_o(ready), .data_i(data), .strobe_i('1), .last_i(left == 32'd1),
        .done_valid_o(done_tvalid), .done_ready_i(done_tready), .done_error_o(done_tdata[0]), .moves_o(writes),
        .m_axi(each[i]));
  end

  lig_axi_mux #(.DATA_WIDTH(DATA_WIDTH), .MASTERS(M), .PENDING(PENDING)) dut (
      .clk_i, .rst_i, .s_axi(each), .m_axi);

  lig_port_stats stats (.clk_i, .rst_i, .clear_i, .axi(m_axi), .busy_o, .reads_o, .writes_o);
endmodule
