// SPDX-License-Identifier: Apache-2.0
//
// driving_lane_following: the FPGA form of driving/lane_following, bit by bit as kernels/lane_centre.hpp: the band's pixels to
// votes (lig_drive_band), votes to a point (lig_drive_calculator).
//
// What follows from the parameters and from the picture's size is computed when an image of another size comes. While a
// band's votes are counted, the next image comes up to its own band.
//
//   initiation interval  PIXELS pixels, and a cycle more for each run of a class in the band's rows
//   latency              the last row of the band, 16 cycles per column and about 1200; and the image's end
//   a frame              as many cycles as that takes, if the rows outside of the band take longer than the votes
//   another size         about 800 cycles
module driving_lane_following
  import lig_image_pkg::*;
  import lig_drive_pkg::*;
  import lig_drive_calculator_pkg::*;
  import lig_drive_lane_pkg::*;
  import lig_drive_following_pkg::*;
#(
    parameter int unsigned MAX_WIDTH  = 4096,  // longest row, a power of two
    parameter int unsigned MAX_HEIGHT = 4095,  // of a band each half has at most 4095 rows
    parameter int unsigned PIXELS     = 1      // per cycle: 1, 2, 4, 8
) (
    input logic clk_i, rst_i,  // reset: synchronous, high

    input logic [63:0] parameter_near_edge_i,
    input logic [63:0] parameter_far_edge_i,
    input logic [63:0] parameter_half_width_i,
    input logic [63:0] parameter_lane_width_i,
    input logic [63:0] parameter_stripe_width_i,
    input logic [63:0] parameter_look_ahead_i,
    input logic [63:0] parameter_band_i,
    input logic [63:0] parameter_yellow_hue_from_i,
    input logic [63:0] parameter_yellow_hue_to_i,
    input logic [63:0] parameter_yellow_saturation_from_i,
    input logic [63:0] parameter_yellow_saturation_to_i,
    input logic [63:0] parameter_yellow_value_from_i,
    input logic [63:0] parameter_white_hue_from_i,
    input logic [63:0] parameter_white_hue_to_i,
    input logic [63:0] parameter_white_saturation_from_i,
    input logic [63:0] parameter_white_saturation_to_i,
    input logic [63:0] parameter_white_value_from_i,

    lig_fields_if.receiver s_axis,
    lig_fields_if.transmitter m_axis
);
  if ((MAX_WIDTH & (MAX_WIDTH - 1)) != 0 || MAX_WIDTH < 4 || MAX_WIDTH > 16384) begin : g_rule_width
    $fatal(1, "driving_lane_following: rule width: MAX_WIDTH = %0d, a power of two from 4 to 16384 is needed", MAX_WIDTH);
  end
  if (MAX_HEIGHT > 4095) begin : g_rule_height
    $fatal(1, "driving_lane_following: rule height: MAX_HEIGHT = %0d, at most 4095 is needed", MAX_HEIGHT);
  end

  // An image: Wait for it, Prepare for its size, Take its pixels, Hand it over. An answer: Idle, Scan, Compute, Say.
  typedef enum logic [1:0] {Wait, Prepare, Take, Hand} coming_e;
  typedef enum logic [1:0] {Idle, Scan, Compute, Say} answer_e;
  coming_e coming_q;
  answer_e answer_q;
  logic clk;

  logic open, ended, broken, handed, scanned, broken_q;
  logic [3:0] problem;
  shape_t shape;
  refusal_e unreadable, refusal_q, answered_q;
  lig_stream_pkg::header_t came_with_q;  // the header of the image that comes
  lig_image_pixels_if #(.PIXELS(PIXELS)) pixels ();
  logic [bits_of(PIXELS)-1:0] unused_text;
  lig_image_in #(.MAX_WIDTH(MAX_WIDTH), .MAX_HEIGHT(MAX_HEIGHT), .PIXELS(PIXELS)) read_image (
      .clk_i(clk), .rst_i, .s_axis, .open_o(open), .shape_o(shape), .refusal_o(unreadable), .ended_o(ended),
      .broken_o(broken), .problem_o(problem), .next_i(handed), .pixels, .text_address_i('0), .text_o(unused_text));

  // --- what follows from parameters, the size and votes -----------------------------------------------------

  // Begin: Loading parameters; then where asked for: Put values, Run the program, Get results.
  typedef enum logic [2:0] {Begin, Loading, Rest, Put, Run, Running, Get} work_e;
  work_e work_q;
  logic [2:0] number_q;  // of what is put or got
  block_t begin_q, why;
  step_t step;
  register_t place, loaded;
  logic ask_q, busy, loading, loads, fits, known_q, in_view_q, seen_q;
  logic signed [63:0] value, given, loaded_value;
  logic [15:0] width_q, height_q, first_q, last_q, rows_q;
  logic [31:0] run_from_q, run_to_q, window_q, ahead_q, aside_q;
  logic [1:0][1:0][23:0] votes;
  logic [1:0][1:0][37:0] places;

  lig_drive_load #(
      .COUNT(7), .REGISTERS({Near, Far, HalfWidth, LaneWidth, StripeWidth, LookAhead, Band}), .BITS({7{6'd32}})) load (
      .clk_i(clk), .rst_i, .start_i(work_q == Begin),
      .values_i({
          parameter_near_edge_i, parameter_far_edge_i, parameter_half_width_i, parameter_lane_width_i,
          parameter_stripe_width_i, parameter_look_ahead_i, parameter_band_i}),
      .busy_o(loading), .write_o(loads), .register_o(loaded), .value_o(loaded_value));
  lig_drive_calculator calculator (
      .clk_i(clk), .rst_i, .start_i(work_q == Run), .start_at_i(begin_q), .busy_o(busy), .why_o(why), .step_o(step),
      .instruction_i(instruction_at(step)), .write_i(loads || work_q == Put), .register_i(place), .value_i(given),
      .value_o(value));

  logic [2:0] last_put;
  logic white;
  assign white = begin_q == OnWhite;
  assign last_put = begin_q == Scale ? 3'd1 : 3'd3;
  always_comb begin
    place = loaded;
    given = loaded_value;
    if (work_q == Put) begin
      if (begin_q == Scale) begin
        place = number_q[0] ? Height : Width;
        given = number_q[0] ? 64'(shape.height) : 64'(shape.width);
      end else begin
        place = register_t'(FarVotes) + register_t'(number_q);
        given = number_q[1] ? 64'(places[white][number_q[0]]) : 64'(votes[white][number_q[0]]);
      end
    end
    if (work_q == Get) begin
      unique case (number_q)
        3'd0: place = StripeFrom;
        3'd1: place = StripeTo;
        3'd2: place = Window;
        3'd3: place = FirstRow;
        3'd4: place = EndRow;
        3'd5: place = Rows;
        3'd6: place = PointX;
        default: place = PointY;
      endcase
    end
  end

  always_ff @(posedge clk) begin
    number_q <= number_q + 1'b1;
    unique case (work_q)
      Begin: work_q <= Loading;
      Loading: if (!loading) work_q <= Rest;
      Rest: begin
        number_q <= '0;
        begin_q <= coming_q == Prepare ? Scale : OnYellow;
        if (ask_q) work_q <= Put;
      end
      Put: if (number_q == last_put) work_q <= Run;
      Run: work_q <= Running;
      Running: begin
        number_q <= white ? 3'd6 : 3'd0;
        if (!busy) work_q <= begin_q == OnYellow ? Put : Get;
        if (!busy && begin_q == OnYellow) begin_q <= OnWhite;
      end
      default: begin  // Get
        unique case (number_q)
          3'd0: run_from_q <= value[31:0];
          3'd1: run_to_q <= value[31:0];
          3'd2: window_q <= {value[30:0], 1'b0};
          3'd3: first_q <= value[15:0];
          3'd4: last_q <= value[15:0];
          3'd5: rows_q <= value[15:0];
          3'd6: ahead_q <= value[31:0];
          default: aside_q <= value[31:0];
        endcase
        if (white) seen_q <= why == Ready;
        else in_view_q <= why == Ready;
        if (number_q == (white ? 3'd7 : 3'd5)) work_q <= Rest;
      end
    endcase
    if (rst_i) work_q <= Begin;
  end

  // --- the image's pixels -----------------------------------------------------------------------------------

  logic [15:0] column_q, row_q;
  logic taken, drawn, drawn_q, colours, band_ready, band_busy, band_counts, scans, last_column;
  assign colours = shape.encoding inside {Rgb8, Bgr8, C3};
  assign fits = known_q && width_q == shape.width && height_q == shape.height;
  assign drawn = row_q >= first_q && row_q < last_q && refusal_q == Fine;  // the row is the band's
  assign last_column = 17'(column_q) + 17'(PIXELS) >= 17'(width_q);
  assign pixels.ready = coming_q == Take && (!drawn || band_ready);
  assign taken = pixels.valid && pixels.ready;
  assign handed = coming_q == Hand && answer_q == Idle && !band_busy;
  always_ff @(posedge clk) begin
    ask_q <= 1'b0;
    unique case (coming_q)
      Wait: begin
        column_q <= '0;
        row_q <= '0;
        drawn_q <= 1'b0;
        refusal_q <= unreadable;
        came_with_q <= s_axis.header;
        if (open) begin
          if (unreadable != Fine || (ended && broken)) coming_q <= Take;
          else if (!colours) begin
            refusal_q <= NoColour;
            coming_q <= Take;
          end else if (fits) begin
            refusal_q <= in_view_q ? Fine : refusal_e'(NoBand);
            coming_q <= Take;
          end else if (answer_q == Idle && work_q == Rest) begin
            ask_q <= 1'b1;
            coming_q <= Prepare;
          end
        end
      end
      Prepare: begin
        width_q <= shape.width;
        height_q <= shape.height;
        if (!ask_q && work_q == Rest) begin
          known_q <= 1'b1;
          coming_q <= Wait;
        end
      end
      Take: begin
        if (taken) begin
          if (drawn) drawn_q <= 1'b1;
          column_q <= column_q + 16'(PIXELS);
          if (last_column) begin
            column_q <= '0;
            row_q <= row_q + 16'd1;
          end
        end
        if (ended) coming_q <= Hand;
      end
      default: if (handed) coming_q <= Wait;
    endcase
    if (answer_q == Scan && scanned && !broken_q) ask_q <= 1'b1;
    if (rst_i) begin
      coming_q <= Wait;
      known_q <= 1'b0;
      ask_q <= 1'b0;
    end
  end

  assign scans = handed && refusal_q == Fine && drawn_q;
  lig_drive_band #(.MAX_WIDTH(MAX_WIDTH), .PIXELS(PIXELS)) band (
      .clk_i(clk), .rst_i,
      .yellow_i(range_of(
          parameter_yellow_hue_from_i, parameter_yellow_hue_to_i, parameter_yellow_saturation_from_i,
          parameter_yellow_saturation_to_i, parameter_yellow_value_from_i)),
      .white_i(range_of(
          parameter_white_hue_from_i, parameter_white_hue_to_i, parameter_white_saturation_from_i,
          parameter_white_saturation_to_i, parameter_white_value_from_i)),
      .bgr_i(shape.encoding != Rgb8), .width_i(width_q), .rows_i(rows_q), .run_from_i(run_from_q), .run_to_i(run_to_q),
      .window_i(window_q), .valid_i(coming_q == Take && pixels.valid && drawn), .ready_o(band_ready),
      .pixel_i(pixels.pixel), .busy_o(band_busy), .counts_o(band_counts),
      .clear_i(handed), .scan_i(scans), .scanned_o(scanned), .votes_o(votes),
      .places_o(places));

  // --- the answer -------------------------------------------------------------------------------------------

  logic [31:0] sec_q, nanosec_q;
  lig_stream_pkg::header_t header_q;
  logic said;
  logic [6:0] unused_point;

  always_ff @(posedge clk) begin
    if (handed) begin
      sec_q <= shape.sec;
      nanosec_q <= shape.nanosec;
      header_q <= came_with_q;
      answered_q <= broken ? refusal_e'({4'd0, problem}) : refusal_q;
      broken_q <= broken;
    end
    unique case (answer_q)
      Idle: if (handed) answer_q <= scans ? Scan : Say;
      Scan: if (scanned) answer_q <= broken_q ? Say : Compute;
      Compute: if (!ask_q && work_q == Rest) answer_q <= Say;
      default: if (said) answer_q <= Idle;
    endcase
    if (rst_i) answer_q <= Idle;
  end

  lig_drive_lane_out write_lane (
      .clk_i(clk), .rst_i, .go_i(answer_q == Say), .refuse_i(broken_q || answered_q != Fine), .refusal_i(answered_q),
      .sec_i(sec_q), .nanosec_i(nanosec_q), .header_i(header_q), .points_i({6'd0, seen_q}), .done_o(said),
      .point_o(unused_point), .x_i(ahead_q), .y_i(aside_q), .m_axis);

  // It computes, or moves with its streams.
  logic computes;
  assign computes = work_q != Rest || answer_q != Idle || band_busy || band_counts;
  lig_rest rest (
      .clk_i, .rst_i, .busy_i(computes), .valid_i({s_axis.tvalid, m_axis.tvalid}), .ready_i({s_axis.tready, m_axis.tready}),
      .clk_o(clk));
endmodule
