// SPDX-License-Identifier: Apache-2.0
//
// lig_axi_ram: on-chip memory behind a design's port, and a second way to it for a host, 64 bits at a time. It stands in
// for main memory on boards whose FPGA has none that a processor shares. Flat ports: it is at the edge.
//
// INCR bursts of whole beats, one at a time and direction; what is beyond the memory is answered with DECERR and
// changes nothing. The host waits while a burst is on its way.
//
//   latency              2 cycles
//   initiation interval  2 cycles per beat read, 1 per beat written
//   storage              2^ADDRESS_BITS bytes
module lig_axi_ram #(
    parameter int unsigned DATA_WIDTH = 64,    // bits: 64, 128, 256 or 512
    parameter int unsigned ID_WIDTH = 1,
    parameter int unsigned ADDRESS_BITS = 16   // bytes as a power of two, 10..24
) (
    input logic clk_i, rst_i,  // reset: synchronous, high

    input  logic                    s_axi_awvalid,
    output logic                    s_axi_awready,
    input  logic [ID_WIDTH-1:0]     s_axi_awid,
    input  logic [63:0]             s_axi_awaddr,
    input  logic                    s_axi_wvalid,
    output logic                    s_axi_wready,
    input  logic [DATA_WIDTH-1:0]   s_axi_wdata,
    input  logic [DATA_WIDTH/8-1:0] s_axi_wstrb,
    input  logic                    s_axi_wlast,
    output logic                    s_axi_bvalid,
    input  logic                    s_axi_bready,
    output logic [ID_WIDTH-1:0]     s_axi_bid,
    output logic [1:0]              s_axi_bresp,
    input  logic                    s_axi_arvalid,
    output logic                    s_axi_arready,
    input  logic [ID_WIDTH-1:0]     s_axi_arid,
    input  logic [63:0]             s_axi_araddr,
    input  logic [7:0]              s_axi_arlen,
    output logic                    s_axi_rvalid,
    input  logic                    s_axi_rready,
    output logic [ID_WIDTH-1:0]     s_axi_rid,
    output logic [DATA_WIDTH-1:0]   s_axi_rdata,
    output logic [1:0]              s_axi_rresp,
    output logic                    s_axi_rlast,

    input  logic        host_valid_i,  // stays high with its word until host_ready_o
    output logic        host_ready_o,  // one cycle: done; host_data_o is what was read
    input  logic        host_write_i,
    input  logic [30:0] host_address_i,  // a multiple of 8
    input  logic [63:0] host_data_i,
    output logic [63:0] host_data_o,
    output logic        host_error_o  // beyond the memory
);
  if (DATA_WIDTH != 64 && DATA_WIDTH != 128 && DATA_WIDTH != 256 && DATA_WIDTH != 512) begin : g_rule_data_width
    $fatal(1, "lig_axi_ram: rule data_width: DATA_WIDTH = %0d, 64, 128, 256 or 512 is needed", DATA_WIDTH);
  end
  if (ADDRESS_BITS < 10 || ADDRESS_BITS > 24) begin : g_rule_address_bits
    $fatal(1, "lig_axi_ram: rule address_bits: ADDRESS_BITS = %0d, 10..24 is needed", ADDRESS_BITS);
  end

  localparam int unsigned Bytes = DATA_WIDTH / 8;
  localparam int unsigned Lane = $clog2(Bytes);
  localparam int unsigned Words = 2 ** (ADDRESS_BITS - Lane);
  localparam int unsigned Beat = ADDRESS_BITS - Lane;
  localparam logic [1:0] Okay = 2'b00, Decerr = 2'b11;

  logic [DATA_WIDTH-1:0] ram[Words];
  logic host_beyond, unused_address;
  assign unused_address = ^{s_axi_awaddr[Lane-1:0], s_axi_araddr[Lane-1:0]};  // bursts are of whole beats
  assign host_beyond = host_address_i[30:ADDRESS_BITS] != '0;
  assign host_error_o = host_beyond;

  // --- writes -----------------------------------------------------------------------------------------------

  typedef enum logic [1:0] {WriteIdle, WriteBeats, WriteAnswer} write_e;
  write_e write_q;
  logic write_good_q, host_writes;
  logic [Beat-1:0] write_beat_q, write_at;
  logic [ID_WIDTH-1:0] bid_q;
  logic [Bytes-1:0] strobes;
  logic [DATA_WIDTH-1:0] written;
  assign host_writes = write_q == WriteIdle && !s_axi_awvalid && host_valid_i && host_write_i && !host_beyond;
  assign s_axi_awready = write_q == WriteIdle;
  assign s_axi_wready = write_q == WriteBeats;
  assign s_axi_bvalid = write_q == WriteAnswer;
  assign s_axi_bid = bid_q;
  assign s_axi_bresp = write_good_q ? Okay : Decerr;
  always_comb begin
    write_at = write_beat_q;
    strobes = s_axi_wvalid && write_q == WriteBeats && write_good_q ? s_axi_wstrb : '0;
    written = s_axi_wdata;
    if (host_writes) begin
      write_at = host_address_i[Lane+:Beat];
      written = {DATA_WIDTH / 64{host_data_i}};
      for (int unsigned i = 0; i < Bytes; i++) strobes[i] = DATA_WIDTH == 64 || (i / 8) == host_lane();
    end
  end
  function automatic int unsigned host_lane();
    return (32'(host_address_i) % Bytes) / 8;
  endfunction

  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < Bytes; i++) if (strobes[i]) ram[write_at][8*i+:8] <= written[8*i+:8];
    unique case (write_q)
      WriteIdle: if (s_axi_awvalid) begin
        write_q <= WriteBeats;
        bid_q <= s_axi_awid;
        write_beat_q <= s_axi_awaddr[Lane+:Beat];
        write_good_q <= s_axi_awaddr[63:ADDRESS_BITS] == '0;
      end
      WriteBeats: if (s_axi_wvalid) begin
        write_beat_q <= write_beat_q + 1'b1;
        if (s_axi_wlast) write_q <= WriteAnswer;
      end
      default: if (s_axi_bready) write_q <= WriteIdle;
    endcase
    if (rst_i) write_q <= WriteIdle;
  end

  // --- reads ------------------------------------------------------------------------------------------------

  typedef enum logic [1:0] {ReadIdle, ReadFetch, ReadOffer, ReadHost} read_e;
  read_e read_q;
  logic read_good_q, for_host_q;
  logic [Beat-1:0] read_beat_q;
  logic [7:0] left_q;
  logic [ID_WIDTH-1:0] rid_q;
  logic [DATA_WIDTH-1:0] data_q;
  assign s_axi_arready = read_q == ReadIdle;
  assign s_axi_rvalid = read_q == ReadOffer;
  assign s_axi_rid = rid_q;
  assign s_axi_rdata = read_good_q ? data_q : '0;
  assign s_axi_rresp = read_good_q ? Okay : Decerr;
  assign s_axi_rlast = left_q == '0;
  assign host_data_o = data_q[64*host_lane()+:64];
  assign host_ready_o = host_valid_i && (host_beyond || host_writes || read_q == ReadHost);

  always_ff @(posedge clk_i) data_q <= ram[read_beat_q];
  always_ff @(posedge clk_i) begin
    unique case (read_q)
      ReadIdle: if (s_axi_arvalid) begin
        read_q <= ReadFetch;
        for_host_q <= 1'b0;
        rid_q <= s_axi_arid;
        left_q <= s_axi_arlen;
        read_beat_q <= s_axi_araddr[Lane+:Beat];
        read_good_q <= s_axi_araddr[63:ADDRESS_BITS] == '0;
      end else if (host_valid_i && !host_write_i && !host_beyond) begin
        read_q <= ReadFetch;
        for_host_q <= 1'b1;
        read_beat_q <= host_address_i[Lane+:Beat];
      end
      ReadFetch: read_q <= for_host_q ? ReadHost : ReadOffer;
      ReadOffer: if (s_axi_rready) begin
        left_q <= left_q - 1'b1;
        read_beat_q <= read_beat_q + 1'b1;
        read_q <= s_axi_rlast ? ReadIdle : ReadFetch;
      end
      default: read_q <= ReadIdle;
    endcase
    if (rst_i) read_q <= ReadIdle;
  end
endmodule
