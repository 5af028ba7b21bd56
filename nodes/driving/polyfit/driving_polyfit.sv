// SPDX-License-Identifier: Apache-2.0
//
// driving_polyfit: the FPGA form of driving/polyfit: the lane's middle as points of a least-squares curve, from a mask of stripes.
//
// While the mask comes, its runs are kept, and those of the near half vote for where a stripe begins. When all of it is
// here, each stripe is traced and its curve solved (lig_drive_polyfit_pkg), and each point is computed as it leaves.
//
//   a mask   as many cycles as its pixels need (lig_image_in), and about 4 per column, 10 per row, 5000, and 1000 per point
//   storage  RUNS words of 24 bits, counts for 4 MAX_WIDTH places, the calculator's registers
module driving_polyfit
  import lig_fields_pkg::*;
  import lig_stream_pkg::*;
  import lig_image_pkg::*;
  import lig_drive_pkg::*;
  import lig_drive_stamp_pkg::*;
  import lig_drive_calculator_pkg::*;
  import lig_drive_lane_pkg::*;
  import lig_drive_polyfit_pkg::*;
#(
    parameter int unsigned PIXELS    = 1,      // per cycle: 1, 2, 4, 8
    parameter int unsigned MAX_WIDTH = 2048,   // of a mask, a power of two up to 4096
    parameter int unsigned RUNS      = 16384   // of a mask, a power of two
) (
    input logic clk_i, rst_i,  // reset: synchronous, high

    input logic [63:0] parameter_near_edge_i,
    input logic [63:0] parameter_far_edge_i,
    input logic [63:0] parameter_half_width_i,
    input logic [63:0] parameter_lane_width_i,
    input logic [63:0] parameter_stripe_width_i,
    input logic [63:0] parameter_points_i,

    lig_fields_if.receiver s_axis,
    lig_fields_if.transmitter m_axis
);
  typedef enum logic [4:0] {
    Begin, Loading,                                  // parameters
    Idle, Judge, Sizes, View, Watch,                 // a mask
    Settle, Scan, Ask, Trace, Divided, Sums, Solved,  // its stripes
    Chosen, Next, GetX, GetY,                         // points
    Answer, Refuse, Over,
    Run, Running                                     // the program, on the way to back_q
  } state_e;
  state_e state_q, back_q;
  block_t begin_q;
  register_t number_q;   // of what is done one after the other
  logic white_q;         // the stripe

  // --- the mask -------------------------------------------------------------------------------------------

  logic open, ended, broken;
  logic [3:0] problem;
  shape_t shape;
  refusal_e refusal;
  logic [bits_of(PIXELS)-1:0] unused_text;
  lig_image_pixels_if #(.PIXELS(PIXELS)) pixels ();
  lig_image_in #(.MAX_WIDTH(MAX_WIDTH), .MAX_HEIGHT(1024), .PIXELS(PIXELS)) read_image (
      .clk_i, .rst_i, .s_axis, .open_o(open), .shape_o(shape), .refusal_o(refusal), .ended_o(ended), .broken_o(broken), .problem_o(problem),
      .next_i(state_q == Over), .pixels, .text_address_i('0), .text_o(unused_text));

  logic [PIXELS-1:0][1:0] classes;  // 1: yellow, 2: white
  for (genvar i = 0; i < PIXELS; i++) begin : g_class
    assign classes[i] = {pixels.pixel[32*i+:8] == 8'd255, pixels.pixel[32*i+:8] == 8'd127};
  end

  logic runs_ready, run_valid, run_ready, last;
  logic [1:0] run_class;
  logic [15:0] from, to, length, row_q, stripe_from_q, stripe_to_q, gate_q;
  logic [15:0] window_q;
  logic [7:0] problem_q;
  assign pixels.ready = state_q == Watch && (runs_ready || problem_q != '0);
  lig_drive_runs #(.PIXELS(PIXELS)) make_runs (
      .clk_i, .rst_i, .start_i(state_q == Judge), .width_i(shape.width), .valid_i(pixels.valid && state_q == Watch && problem_q == '0),
      .ready_o(runs_ready), .classes_i(classes), .run_valid_o(run_valid), .run_ready_i(run_ready), .class_o(run_class),
      .begin_o(from), .end_o(to), .last_o(last));

  // One that touches the border may go on outside.
  logic is_stripe, is_taken, votes_busy;
  assign length = to - from;
  assign is_stripe = run_class != '0 && from != '0 && to != shape.width && length >= stripe_from_q && length <= stripe_to_q;
  assign run_ready = !votes_busy;  // it forgets those of the mask before
  assign is_taken = run_valid && run_ready;
  always_ff @(posedge clk_i) begin
    if (is_taken && last) row_q <= row_q + 1'b1;
    if (state_q == Judge) row_q <= '0;
  end

  // --- where its stripes begin, and where they go ---------------------------------------------------------

  logic signed [127:0] value, given;  // of the calculator
  logic full, tracing, asks, scanned;
  logic [15:0] centre, divisor;
  logic [1:0][1:0][23:0] votes;  // of white and yellow; all count as far
  logic [1:0][1:0][37:0] places;
  logic signed [31:0] dividend;
  logic [9:0] first_row, last_row;
  logic [4:0][47:0] s;
  logic [2:0][47:0] x;
  assign centre = from + to - 16'd1;
  lig_drive_votes #(.MAX_PLACES(2 * MAX_WIDTH)) count_votes (
      .clk_i, .rst_i, .valid_i(is_taken && is_stripe && row_q >= {1'b0, shape.height[15:1]}),
      .place_i(centre[$clog2(2*MAX_WIDTH)-1:0]), .white_i(run_class[1]), .near_i(1'b0), .scan_i(state_q == Settle && !votes_busy),
      .places_i({shape.width[$clog2(2*MAX_WIDTH)-1:0], 1'b0}), .window_i({15'd0, window_q, 1'b0}), .busy_o(votes_busy),
      .scanned_o(scanned), .votes_o(votes), .places_o(places));
  lig_drive_trace #(.RUNS(RUNS)) follow (
      .clk_i, .rst_i, .clear_i(state_q == Judge), .push_i(is_taken && is_stripe),
      .white_i(state_q == Watch ? run_class[1] : white_q), .row_i(row_q[9:0]), .centre_i(centre[12:0]), .full_o(full),
      .start_i(state_q == Trace && number_q == '0), .rows_i(shape.height[10:0]), .gate_i(gate_q),
      .expected_q8_i(value[31:0]), .asks_o(asks), .dividend_o(dividend), .divisor_o(divisor),
      .answered_i(state_q == Divided), .quotient_i(value[31:0]), .busy_o(tracing),
      .first_o(first_row), .last_o(last_row), .s_o(s), .x_o(x));

  // --- numbers --------------------------------------------------------------------------------------------

  logic busy, write, loading, loads;
  logic [6:0] point_q, points_q;
  block_t why;
  step_t step;
  register_t place, loaded;
  logic signed [63:0] loaded_value;
  lig_drive_calculator #(.WIDTH(128)) calculator (
      .clk_i, .rst_i, .start_i(state_q == Run), .start_at_i(begin_q), .busy_o(busy), .why_o(why), .step_o(step),
      .instruction_i(instruction_at(step)), .write_i(write), .register_i(place), .value_i(given), .value_o(value));
  lig_drive_load #(
      .COUNT(6), .REGISTERS({Near, Far, HalfWidth, LaneWidth, StripeWidth, Points}), .BITS({{5{6'd32}}, Whole})) load (
      .clk_i, .rst_i, .start_i(state_q == Begin),
      .values_i({
          parameter_near_edge_i, parameter_far_edge_i, parameter_half_width_i, parameter_lane_width_i,
          parameter_stripe_width_i, parameter_points_i}),
      .busy_o(loading), .write_o(loads), .register_o(loaded), .value_o(loaded_value));

  // Of a length in pixels nothing larger than this makes a difference.
  function automatic logic [15:0] limited(input logic signed [127:0] length_of, input logic [15:0] most);
    return length_of > 128'(most) ? most : length_of[15:0];
  endfunction

  logic [9:0][47:0] sums;  // S0 to Last
  assign sums = {48'(last_row), 48'(first_row), x, s};
  assign write = loads || state_q inside {Sizes, Ask, Sums, Next} || (state_q == Trace && asks);
  always_comb begin
    place = number_q;
    given = '0;
    unique case (state_q)
      Loading: begin
        place = loaded;
        given = 128'(loaded_value);
      end
      Sizes: given = number_q == Width ? 128'(shape.width) : 128'(shape.height);
      View: place = number_q == 6'd3 ? Gate : register_t'(StripeFrom) + number_q;
      Ask: given = number_q == Places ? 128'(places[white_q][0]) : 128'(votes[white_q][0]);
      Trace: begin
        place = number_q == '0 ? Start : number_q;
        given = number_q == Dividend ? 128'(dividend) : 128'(divisor);
      end
      Divided: place = Quotient;
      Sums: given = 128'(signed'(sums[4'(number_q - S0)]));
      Next: begin
        place = Number;
        given = 128'(point_q);
      end
      GetX: place = PointX;
      GetY: place = PointY;
      default: ;
    endcase
  end

  // --- what follows ---------------------------------------------------------------------------------------

  // The points wait for the last one: the message tells how many there are first.
  header_t header_q;
  stamp_t stamp;
  logic [31:0] x_of[64], y_of[64];
  logic [6:0] point;
  logic answered;
  assign stamp = normalised(shape.sec, shape.nanosec);
  lig_drive_lane_out answer (
      .clk_i, .rst_i, .go_i(state_q inside {Answer, Refuse}), .refuse_i(state_q == Refuse), .refusal_i(problem_q),
      .sec_i(stamp.sec), .nanosec_i(stamp.nanosec), .header_i(header_q), .points_i(points_q), .done_o(answered),
      .point_o(point), .x_i(x_of[point[5:0]]), .y_i(y_of[point[5:0]]), .m_axis);
  always_ff @(posedge clk_i) begin
    if (state_q == GetX) x_of[point_q[5:0]] <= value[31:0];
    if (state_q == GetY) y_of[point_q[5:0]] <= value[31:0];
  end

  always_ff @(posedge clk_i) begin
    number_q <= number_q + 1'b1;
    unique case (state_q)
      Begin: state_q <= Loading;
      Loading: if (!loading) state_q <= Idle;

      Idle: begin
        header_q <= s_axis.header;
        problem_q <= '0;
        white_q <= 1'b0;
        if (open) state_q <= Judge;
      end
      Judge: begin
        if (refusal != lig_image_pkg::Fine) problem_q <= refusal;
        else if (shape.encoding != Mono8) problem_q <= NoMask;
        number_q <= Width;
        state_q <= refusal != lig_image_pkg::Fine || shape.encoding != Mono8 ? Watch : Sizes;
      end
      Sizes: begin
        begin_q <= Scale;
        back_q <= View;
        if (number_q == Height) state_q <= Run;
      end
      View: begin
        unique case (number_q)
          6'd0: stripe_from_q <= limited(value, 16'hFFFF);
          6'd1: stripe_to_q <= limited(value, 16'hFFFF);
          6'd2: window_q <= limited(value, 16'h7FFF);
          default: gate_q <= limited(value, 16'h3FFF);
        endcase
        if (number_q == 6'd3) state_q <= Watch;
      end
      Watch: begin
        number_q <= Places;
        if (ended) begin
          if (broken) problem_q <= 8'(problem);
          else if (problem_q == '0 && full) problem_q <= TooManyRuns;
          state_q <= problem_q != '0 ? Refuse : Settle;
        end
      end

      Settle: if (!votes_busy) state_q <= Scan;
      Scan: begin
        number_q <= Places;
        if (scanned) state_q <= problem_q != '0 ? Refuse : Ask;  // and the votes are forgotten
      end
      Ask: begin
        begin_q <= Mean;
        back_q <= Trace;
        if (votes[white_q][0] == '0) state_q <= Solved;
        else if (number_q == Votes) state_q <= Run;
      end
      Trace: begin
        // It begins; then it may ask for quotients, with a dividend and a divisor.
        number_q <= number_q == '0 || !asks ? Dividend : number_q + 1'b1;
        begin_q <= Divide;
        back_q <= Divided;
        if (number_q == Divisor) state_q <= Run;
        else if (number_q != '0 && !tracing) begin
          number_q <= S0;
          state_q <= Sums;
        end
      end
      Divided: begin
        number_q <= Dividend;
        state_q <= Trace;
      end
      Sums: begin
        begin_q <= white_q ? SolveRight : SolveLeft;
        back_q <= Solved;
        if (number_q == Last) state_q <= Run;
      end
      Solved: begin
        white_q <= 1'b1;
        number_q <= Places;
        begin_q <= Choose;
        back_q <= Chosen;
        state_q <= white_q ? Run : Ask;
      end

      Chosen: begin
        points_q <= why == NoCurve ? '0 : parameter_points_i[6:0];
        point_q <= '0;
        state_q <= Next;
      end
      Next: begin
        begin_q <= Point;
        back_q <= GetX;
        state_q <= point_q == points_q ? Answer : Run;
      end
      GetX: state_q <= GetY;
      GetY: begin
        point_q <= point_q + 1'b1;
        state_q <= Next;
      end
      Answer, Refuse: if (answered) state_q <= Over;

      Run: state_q <= Running;
      Running: begin
        number_q <= '0;
        if (!busy) state_q <= back_q;
      end
      default: state_q <= Idle;  // Over
    endcase
    if (rst_i) state_q <= Begin;
  end

  logic unused;
  assign unused = &{1'b0, unused_text};
endmodule
