// SPDX-License-Identifier: Apache-2.0
//
// image_equalise: the FPGA form of image/equalise, bit by bit as cv::equalizeHist, of the image itself and not of the
// one before it: so the image is kept while its histogram grows, and leaves through a table made of that.
//
// A beat of K bytes comes and leaves per cycle, so the two passes together take 2 / K of a cycle per pixel. Each lane
// counts for itself; what all counted is added up when the table is made (lig_image_levels).
//
//   initiation interval  K pixels in, then K pixels out: K / 2 per cycle over a frame; K: 8, or 4 PIXELS where that is more
//   latency              the first pass, and about 1100 cycles for the table
//   a frame              2 / K as many cycles as it has pixels, and about 1100
//   storage              MAX_PIXELS bytes, K histograms and K tables of 256 entries
module image_equalise
  import lig_fields_pkg::*;
  import lig_stream_pkg::*;
  import lig_image_pkg::*;
  import lig_sensor_msgs_msg_image_pkg::*;
#(
    parameter int unsigned MAX_PIXELS = 307200,  // of the largest image, a multiple of K
    parameter int unsigned PIXELS     = 1,       // 4, 8, 16 make the stream wider: 128, 256, 512 bits
    localparam int unsigned Bits      = bits_of(PIXELS)
) (
    input logic clk_i, rst_i,  // reset: synchronous, high

    lig_fields_if.receiver s_axis,
    lig_fields_if.transmitter m_axis
);
  localparam int unsigned K = Bits / 8;  // bytes of a beat
  localparam int unsigned L = $clog2(K);
  if (MAX_PIXELS < 2 * K || MAX_PIXELS > 16777208 || MAX_PIXELS % K != 0) begin : g_rule_size
    $fatal(1, "image_equalise: rule size: MAX_PIXELS = %0d, a multiple of %0d from %0d to 16777208 is needed", MAX_PIXELS,
           K, 2 * K);
  end

  // Clear: the histograms. Pass: all fields but the data. Collect and Give: the data. Made: all of it has left.
  typedef enum logic [2:0] {Clear, Pass, Collect, Table, Give, Made, Drain, Refuse} state_e;
  state_e state_q;

  localparam int unsigned Beats = MAX_PIXELS / K;
  localparam int unsigned AddressBits = $clog2(Beats);
  localparam int unsigned CountBits = $clog2(Beats + 1);

  logic pixels, ends, refused, taken;
  refusal_e seen, refusal;
  encoding_e encoding;
  logic [31:0] bytes;

  assign taken = s_axis.tvalid && s_axis.tready;
  assign pixels = s_axis.tuser.kind == Values && s_axis.tuser.field == FIELD_DATA;
  assign ends = s_axis.tuser.kind == Done;
  assign m_axis.header = s_axis.header;

  lig_image_watch watch (
      .clk_i, .taken_i(taken), .data_i(s_axis.tdata[63:0]), .user_i(s_axis.tuser), .encoding_o(encoding), .bytes_o(bytes),
      .refusal_o(seen));

  always_comb begin
    refusal = seen;
    if (seen == Fine && channels_of(encoding) != 3'd1) refusal = NoGrey;
    else if (seen == Fine && bytes > MAX_PIXELS) refusal = NoSize;
  end

  // In place of the data, or of the end of an image without any.
  assign refused = state_q == Pass && s_axis.tvalid && (pixels || ends) && refusal != Fine;

  // --- the image ------------------------------------------------------------------------------------------

  (* ram_style = "block" *) logic [Bits-1:0] memory[Beats];
  logic [Bits-1:0] read_q;
  logic [AddressBits-1:0] write_at_q, read_at_q;
  logic collects, advance, asked_q, last_asked_q, last_read_q, read_valid_q;
  logic [AddressBits-1:0] last_at;

  assign collects = state_q == Collect && s_axis.tvalid && pixels;
  assign last_at = AddressBits'((bytes - 32'd1) >> L);
  assign advance = !read_valid_q || m_axis.tready;

  always_ff @(posedge clk_i) begin
    if (collects) memory[write_at_q] <= s_axis.tdata;
    if (advance) read_q <= memory[read_at_q];
  end

  // asked: addresses are still to be read; read: of a beat that is offered.
  always_ff @(posedge clk_i) begin
    if (collects) write_at_q <= write_at_q + 1'b1;
    if (state_q == Give && advance) begin
      read_valid_q <= asked_q;
      last_read_q <= last_asked_q;
      if (asked_q) begin
        read_at_q <= read_at_q + 1'b1;
        last_asked_q <= read_at_q + 1'b1 == last_at;
        if (last_asked_q) asked_q <= 1'b0;
      end
    end
    if (state_q == Table) begin
      read_at_q <= '0;
      asked_q <= 1'b1;
      last_asked_q <= last_at == '0;
    end
    if (state_q == Pass) write_at_q <= '0;
    if (rst_i || state_q == Pass) read_valid_q <= 1'b0;
  end

  // --- histograms and table -------------------------------------------------------------------------------

  logic [7:0] bin, clear_bin_q, level_bin;
  logic [K-1:0][CountBits-1:0] counts;
  logic [CountBits+L-1:0] count;
  logic take_bin, table_done, level_valid;
  logic [7:0] level;
  logic [Bits-1:0] mapped;

  assign bin = state_q == Clear ? clear_bin_q : level_bin;

  for (genvar lane = 0; lane < K; lane++) begin : g_lane
    logic [CountBits-1:0] histogram[256];
    logic [7:0] levels[256];
    logic [7:0] place;
    logic counts_here;
    assign counts_here = collects && s_axis.tkeep[lane];
    assign place = counts_here ? s_axis.tdata[8*lane+:8] : bin;
    assign counts[lane] = histogram[place];
    always_ff @(posedge clk_i) begin
      if (counts_here || state_q == Clear || take_bin) begin
        histogram[place] <= counts_here ? counts[lane] + 1'b1 : '0;
      end
    end
    always_ff @(posedge clk_i) begin
      if (level_valid) levels[level_bin] <= level;
    end
    assign mapped[8*lane+:8] = m_axis.tkeep[lane] ? levels[read_q[8*lane+:8]] : '0;
  end

  always_comb begin
    count = '0;
    for (int unsigned lane = 0; lane < K; lane++) count += (CountBits + L)'(counts[lane]);
  end

  lig_image_levels make_table (
      .clk_i, .run_i(state_q == Table), .pixels_i(bytes[23:0]), .bin_o(level_bin), .count_i(24'(count)),
      .take_o(take_bin), .level_valid_o(level_valid), .level_o(level), .done_o(table_done));

  // --- the stream -----------------------------------------------------------------------------------------

  logic passes;
  assign passes = (state_q == Pass && !pixels && !refused) || (state_q == Made && ends);

  always_comb begin
    unique case (state_q)
      Pass, Made: s_axis.tready = passes && m_axis.tready;
      Collect: s_axis.tready = pixels;
      Drain: s_axis.tready = 1'b1;
      default: s_axis.tready = 1'b0;
    endcase
  end

  always_comb begin
    m_axis.tvalid = passes && s_axis.tvalid;
    m_axis.tdata = s_axis.tdata;
    m_axis.tkeep = s_axis.tkeep;
    m_axis.tuser = s_axis.tuser;
    m_axis.tlast = s_axis.tlast;
    if (state_q == Give) begin
      m_axis.tvalid = read_valid_q;
      m_axis.tkeep = last_read_q && bytes[L-1:0] != '0 ? ~({K{1'b1}} << bytes[L-1:0]) : '1;
      m_axis.tdata = mapped;
      m_axis.tuser = '{kind: Values, field: FIELD_DATA};
      m_axis.tlast = 1'b0;
    end else if (state_q == Refuse) begin
      m_axis.tvalid = 1'b1;
      m_axis.tkeep = K'(8'h01);
      m_axis.tdata = Bits'(refusal);
      m_axis.tuser = '{kind: Broken, field: '0};
      m_axis.tlast = 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Clear: if (clear_bin_q == 8'hFF) state_q <= Pass;
      Pass: begin
        if (refused) state_q <= Drain;
        else if (s_axis.tvalid && pixels) state_q <= Collect;
      end
      // Behind the data there is its end, or word that it is broken: that passes, and what was counted is cleared.
      Collect: if (s_axis.tvalid && !pixels) state_q <= ends ? Table : Clear;
      Table: if (table_done) state_q <= Give;
      Give: if (read_valid_q && last_read_q && m_axis.tready) state_q <= Made;
      Made: if (taken) state_q <= Pass;
      Drain: if (s_axis.tvalid && s_axis.tlast) state_q <= Refuse;
      Refuse: if (m_axis.tready) state_q <= Pass;
      default: ;
    endcase
    clear_bin_q <= state_q == Clear ? clear_bin_q + 1'b1 : '0;
    if (rst_i) begin
      state_q <= Clear;
      clear_bin_q <= '0;
    end
  end
endmodule
