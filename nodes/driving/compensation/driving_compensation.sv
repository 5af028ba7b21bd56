// SPDX-License-Identifier: Apache-2.0
//
// driving_compensation: the FPGA form of driving/compensation, bit by bit: lig_image_in, lig_drive_pixel_levels, lig_drive_pixel_store,
// lig_image_out.
//
// An image's own histogram says what becomes of its pixels. So it is kept while it comes, and leaves through the table that is
// made of it, while the next one comes. Formats: rgb8, bgr8, 8UC3.
//
//   initiation interval  PIXELS pixels in and PIXELS pixels out
//   latency              the image, and about 800 cycles
//   a frame              as many cycles as it has pixels / PIXELS, and about 800
//   storage              MAX_PIXELS pixels of 24 bits, PIXELS histograms, 3 PIXELS tables
module driving_compensation
  import lig_fields_pkg::*;
  import lig_stream_pkg::*;
  import lig_image_pkg::*;
  import lig_sensor_msgs_msg_image_pkg::*;
#(
    parameter int unsigned MAX_PIXELS = 307200,  // of the largest image, where its rows are multiples of PIXELS
    parameter int unsigned PIXELS     = 1,       // per cycle: 1, 2, 4, 8
    localparam int unsigned Bits      = bits_of(PIXELS)
) (
    input logic clk_i, rst_i,  // reset: synchronous, high

    input logic [63:0] parameter_clip_permille_i, parameter_minimum_spread_i,

    lig_fields_if.receiver s_axis,
    lig_fields_if.transmitter m_axis
);
  localparam int unsigned Beats = MAX_PIXELS / PIXELS;

  // But for the table all of it moves with its streams.
  logic clk, busy;
  lig_rest rest (
      .clk_i, .rst_i, .busy_i(busy), .valid_i({s_axis.tvalid, m_axis.tvalid}), .ready_i({s_axis.tready, m_axis.tready}),
      .clk_o(clk));

  // --- the image that comes -------------------------------------------------------------------------------

  logic open, ended, broken, next, may_come;
  logic [3:0] problem;
  shape_t shape;
  refusal_e unreadable, refusal;
  logic [2:0] text_address;
  logic [Bits-1:0] text;
  lig_image_pixels_if #(.PIXELS(PIXELS)) coming (), made ();

  lig_image_in #(.MAX_WIDTH(32767), .MAX_HEIGHT(32767), .PIXELS(PIXELS)) read_image (
      .clk_i(clk), .rst_i, .s_axis, .open_o(open), .shape_o(shape), .refusal_o(unreadable), .ended_o(ended), .broken_o(broken), .problem_o(problem),
      .next_i(next), .pixels(coming), .text_address_i(text_address), .text_o(text));

  // Its header may change as soon as its last beat was taken.
  header_t header_q;
  logic within_q;
  always_ff @(posedge clk) begin
    if (s_axis.tvalid && !within_q) header_q <= s_axis.header;
    if (s_axis.tvalid) within_q <= 1'b1;
    if (rst_i || next) within_q <= 1'b0;
  end

  logic [15:0] beats_of_row;  // the last one may have fewer pixels
  logic [31:0] beats;
  assign beats_of_row = (shape.width + 16'(PIXELS - 1)) >> $clog2(PIXELS);
  assign beats = 32'(beats_of_row) * 32'(shape.height);
  always_comb begin
    refusal = unreadable;
    if (unreadable == Fine && !(shape.encoding inside {Rgb8, Bgr8, C3})) refusal = NoColour;
    else if (unreadable == Fine && beats > 32'(Beats)) refusal = NoSize;
  end

  logic [15:0] column_q, line_q, last_at;
  logic last_column, last_beat, stores, taken, ready, sized_q, good_q;
  logic [PIXELS-1:0] lanes;
  assign last_at = (shape.width - 16'd1) & ~16'(PIXELS - 1);
  assign last_column = column_q == last_at;
  assign last_beat = last_column && line_q == shape.height - 16'd1;
  always_comb begin
    for (int unsigned i = 0; i < PIXELS; i++) begin
      lanes[i] = !last_column || 16'(i) <= ((shape.width - 16'd1) & 16'(PIXELS - 1));
    end
  end

  // sized: its refusal has been looked at; a product takes a cycle. What is refused for its shape is let go.
  assign stores = coming.valid && sized_q && good_q;
  assign coming.ready = sized_q && (good_q ? ready : 1'b1);
  assign taken = stores && ready;
  always_ff @(posedge clk) begin
    good_q <= refusal == Fine;
    sized_q <= open && !next && may_come;
    if (taken) begin
      column_q <= last_column ? '0 : column_q + 16'(PIXELS);
      if (last_column) line_q <= line_q + 16'd1;
    end
    if (rst_i || next) begin
      sized_q <= 1'b0;
      column_q <= '0;
      line_q <= '0;
    end
  end

  // --- what becomes of it ---------------------------------------------------------------------------------

  typedef enum logic [1:0] {Come, Table, Begin, Leave} state_e;
  state_e state_q;
  logic make, forget, made_table, idle, keep, drop, answers_q, done, text_left_q;
  shape_t result_q;
  refusal_e reason_q;
  header_t answer_header_q;
  logic broken_q, fine;

  // Pixels come while nothing of the image before is made of the histogram.
  assign may_come = state_q == Come && idle;
  assign fine = refusal == Fine && !broken;
  assign make = state_q == Come && idle && open && ended && fine;
  assign forget = state_q == Come && idle && open && ended && !fine;
  assign drop = forget;
  assign keep = state_q == Begin && fine && !answers_q;
  // The text of the answer is read where the next image's will be.
  assign next = state_q == Leave && (text_left_q || !answers_q);

  always_ff @(posedge clk) begin
    unique case (state_q)
      Come: begin
        if (make) state_q <= Table;
        if (forget) state_q <= Begin;
      end
      Table: if (made_table) state_q <= Begin;
      Begin: if (!answers_q) state_q <= Leave;
      Leave: if (next) state_q <= Come;
    endcase
    if (done) answers_q <= 1'b0;
    if (state_q == Begin && !answers_q) begin
      answers_q <= 1'b1;
      result_q <= shape;
      reason_q <= broken ? refusal_e'({4'd0, problem}) : refusal;
      broken_q <= broken;
      answer_header_q <= header_q;
    end
    if (state_q == Begin) text_left_q <= 1'b0;
    if (m_axis.tvalid && m_axis.tready && m_axis.tuser.kind == Values && m_axis.tuser.field == FIELD_HEIGHT) begin
      text_left_q <= 1'b1;
    end
    if (rst_i) begin
      state_q <= Come;
      answers_q <= 1'b0;
    end
  end

  logic [3*PIXELS-1:0][7:0] from, to;
  lig_drive_pixel_levels #(.MAX_PIXELS(MAX_PIXELS), .PIXELS(PIXELS)) make_levels (
      .clk_i(clk), .rst_i, .valid_i(taken), .lanes_i(lanes), .pixel_i(coming.pixel), .blue_first_i(shape.encoding != Rgb8),
      .forget_i(forget), .make_i(make), .may_write_i(!answers_q), .pixels_i(24'(32'(shape.width) * 32'(shape.height))),
      .clip_i(parameter_clip_permille_i[8:0]), .least_i(parameter_minimum_spread_i[8:0]), .done_o(made_table), .idle_o(idle),
      .busy_o(busy), .from_i(from), .to_o(to));

  // --- the image that leaves ------------------------------------------------------------------------------

  logic [24*PIXELS-1:0] narrow, kept;
  logic kept_valid, kept_ready, made_valid_q;
  logic [32*PIXELS-1:0] made_q;

  for (genvar i = 0; i < PIXELS; i++) begin : g_pixel
    assign narrow[24*i+:24] = coming.pixel[32*i+:24];
    assign from[3*i+:3] = kept[24*i+:24];
    always_ff @(posedge clk) begin
      if (kept_ready) made_q[32*i+:32] <= {8'd0, to[3*i+:3]};
    end
  end

  lig_drive_pixel_store #(.BEATS(Beats), .WIDTH(24 * PIXELS)) store (
      .clk_i(clk), .rst_i, .in_valid_i(stores), .in_ready_o(ready), .in_i(narrow), .in_last_i(last_beat), .keep_i(keep),
      .drop_i(drop), .over_i(done), .out_valid_o(kept_valid), .out_ready_i(kept_ready), .out_o(kept));

  assign kept_ready = !made_valid_q || made.ready;
  always_ff @(posedge clk) begin
    if (kept_ready) made_valid_q <= kept_valid;
    if (rst_i || done) made_valid_q <= 1'b0;
  end
  assign made.valid = made_valid_q;
  assign made.pixel = made_q;

  lig_image_out #(.PIXELS(PIXELS)) write_image (
      .clk_i(clk), .rst_i, .go_i(answers_q), .shape_i(result_q), .refusal_i(reason_q), .ended_i(1'b1), .broken_i(broken_q),
      .done_o(done), .text_address_o(text_address), .text_i(text), .pixels(made), .header_i(answer_header_q), .m_axis);
endmodule
