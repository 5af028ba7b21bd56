// SPDX-License-Identifier: Apache-2.0
//
// driving_lane_planner: the FPGA form of driving/lane_planner, bit by bit: lig_image_in, lig_drive_class, lig_drive_above,
// lig_image_out.
//
// The table of rows is made of the parameters when the first picture of a size has come (lig_drive_ground). While a view
// leaves, the next picture comes as far as there is room for the rows that it shows.
//
//   initiation interval  PIXELS pixels in, PIXELS pixels out
//   latency              the rows of the picture above those that the view shows; the table, once per size
//   a frame              as many cycles as the view or the picture has pixels / PIXELS, whichever are more
module driving_lane_planner
  import lig_image_pkg::*;
  import lig_drive_pkg::*;
#(
    parameter int unsigned CLASSES   = 262144,  // stored pixels of the rows that the view shows, a power of two
    parameter int unsigned MAX_WIDTH = 2048,    // longest row of a picture, a power of two
    parameter int unsigned PIXELS    = 1        // per cycle: 1, 2, 4, 8
) (
    input logic clk_i, rst_i,  // reset: synchronous, high

    input logic [63:0] parameter_near_edge_i, parameter_far_edge_i, parameter_half_width_i,  // doubles
    input logic [63:0] parameter_width_i, parameter_height_i,                                // of the view
    input logic [63:0] parameter_camera_height_i, parameter_camera_ahead_i,                  // doubles
    input logic [63:0] parameter_camera_pitch_i, parameter_camera_fov_i,
    input logic [63:0] parameter_yellow_hue_from_i, parameter_yellow_hue_to_i, parameter_yellow_saturation_from_i,
    input logic [63:0] parameter_yellow_saturation_to_i, parameter_yellow_value_from_i,
    input logic [63:0] parameter_white_hue_from_i, parameter_white_hue_to_i, parameter_white_saturation_from_i,
    input logic [63:0] parameter_white_saturation_to_i, parameter_white_value_from_i,

    lig_fields_if.receiver s_axis,
    lig_fields_if.transmitter m_axis
);
  // A picture: Wait for it, its Table, and Survey that; Take its pixels; Hold it until its answer needs nothing of it.
  typedef enum logic [2:0] {Wait, Table, Survey, Take, Hold} coming_e;
  coming_e coming_q;

  logic [3:0] problem;
  logic open, ended, broken, abandons, next, claim, claimed_q, answers_q, answered_q, texted_q, done, colour, known;
  logic [2:0] text_address;
  logic [bits_of(PIXELS)-1:0] text;
  shape_t shape, result_q;
  refusal_e unreadable, refusal_q, answer_refusal_q;
  lig_image_pixels_if #(.PIXELS(PIXELS)) raw (), made ();

  lig_image_in #(.MAX_WIDTH(MAX_WIDTH), .MAX_HEIGHT(32767), .PIXELS(PIXELS)) read_image (
      .clk_i, .rst_i, .s_axis, .open_o(open), .shape_o(shape), .refusal_o(unreadable), .ended_o(ended),
      .broken_o(broken), .problem_o(problem), .next_i(next), .pixels(raw), .text_address_i(text_address), .text_o(text));

  // --- the table of the view's rows -------------------------------------------------------------------------

  logic ground_start, ground_ready, ground_wrong, survey, surveyed, busy;
  logic [9:0] row;
  logic signed [21:0] row_32;
  logic signed [51:0] column_q16, step_q16;
  logic [15:0] width_q, height_q;  // the size that was surveyed
  logic known_q;

  lig_drive_ground ground (
      .clk_i, .rst_i, .start_i(ground_start), .width_i(shape.width), .height_i(shape.height),
      .parameter_near_edge_i, .parameter_far_edge_i, .parameter_half_width_i, .parameter_width_i, .parameter_height_i,
      .parameter_camera_height_i, .parameter_camera_ahead_i, .parameter_camera_pitch_i, .parameter_camera_fov_i,
      .ready_o(ground_ready), .wrong_o(ground_wrong), .row_i(row), .row_32_o(row_32), .column_q16_o(column_q16),
      .step_q16_o(step_q16));

  assign colour = shape.encoding inside {Rgb8, Bgr8, C3};
  assign known = known_q && width_q == shape.width && height_q == shape.height;
  // Nothing of a picture of another size is left.
  assign ground_start = coming_q == Wait && open && unreadable == Fine && !(ended && broken) && colour && !known &&
      !answers_q && !busy;

  // --- the picture ------------------------------------------------------------------------------------------

  logic move, classes_ready, drops;
  logic [ClassLatency-1:0] valid_q;  // pixels on their way to classes
  class_e [PIXELS-1:0] classes;
  logic class_clk;

  assign drops = refusal_q != Fine;
  assign move = !valid_q[ClassLatency-1] || classes_ready;
  assign raw.ready = coming_q == Take && (drops || move);
  lig_gate #(.LINGER(15)) gate (
      .clk_i, .rst_i, .wake_i(raw.valid || valid_q != '0), .clk_o(class_clk));
  always_ff @(posedge class_clk) begin
    if (move) valid_q <= {valid_q[ClassLatency-2:0], raw.valid && coming_q == Take && !drops};
    if (rst_i || abandons) valid_q <= '0;
  end

  for (genvar i = 0; i < PIXELS; i++) begin : g_class
    lig_drive_class classify (
        .clk_i(class_clk), .move_i(move),
        .yellow_i(range_of(
            parameter_yellow_hue_from_i, parameter_yellow_hue_to_i, parameter_yellow_saturation_from_i,
            parameter_yellow_saturation_to_i, parameter_yellow_value_from_i)),
        .white_i(range_of(
            parameter_white_hue_from_i, parameter_white_hue_to_i, parameter_white_saturation_from_i,
            parameter_white_saturation_to_i, parameter_white_value_from_i)),
        .bgr_i(shape.encoding != Rgb8), .pixel_i(raw.pixel[32*i+:32]), .class_o(classes[i]));
  end

  always_ff @(posedge clk_i) begin
    unique case (coming_q)
      Wait: begin
        refusal_q <= unreadable;
        if (open) begin
          if (unreadable != Fine || (ended && broken)) coming_q <= Take;
          else if (!colour) begin
            refusal_q <= NoColour;
            coming_q <= Take;
          end else if (known) begin
            refusal_q <= ground_wrong ? NoView : Fine;
            coming_q <= Take;
          end else if (ground_start) coming_q <= Table;
        end
      end
      Table: if (ground_ready) coming_q <= ground_wrong ? Wait : Survey;
      Survey: if (surveyed) coming_q <= Wait;
      Take: if (ended && (broken || valid_q == '0)) coming_q <= Hold;
      default: if (next) coming_q <= Wait;
    endcase
    if (coming_q inside {Table, Survey}) begin
      width_q <= shape.width;
      height_q <= shape.height;
      known_q <= surveyed || (ground_ready && ground_wrong);
    end
    if (rst_i) begin
      coming_q <= Wait;
      known_q <= 1'b0;
    end
  end

  // --- the view ---------------------------------------------------------------------------------------------

  logic starts_q;
  lig_image_pixels_if #(.PIXELS(PIXELS)) seen ();
  assign survey = coming_q == Table && ground_ready && !ground_wrong;

  lig_drive_above #(.CLASSES(CLASSES), .MAX_WIDTH(MAX_WIDTH), .PIXELS(PIXELS)) above (
      .clk_i, .rst_i, .clear_i(abandons), .width_i(width_q), .height_i(height_q), .columns_i(parameter_width_i[15:0]),
      .rows_i(parameter_height_i[15:0]), .row_o(row), .row_32_i(row_32), .column_q16_i(column_q16), .step_q16_i(step_q16),
      .survey_i(survey), .surveyed_o(surveyed), .restart_i(coming_q == Wait), .valid_i(valid_q[ClassLatency-1]),
      .ready_o(classes_ready), .classes_i(classes), .start_i(starts_q), .busy_o(busy), .made(seen));

  // --- the answer -------------------------------------------------------------------------------------------

  logic out_ended, out_broken, ended_q;
  refusal_e answer_why;
  lig_stream_pkg::header_t came_with_q, header_q;

  assign claim = coming_q inside {Take, Hold} && !claimed_q && !answers_q && !busy;
  // A whole picture goes once the text of its frame is read; a broken one is here until its answer is over.
  assign next = coming_q == Hold && claimed_q && (answered_q || (texted_q && !broken && refusal_q == Fine));
  assign abandons = coming_q == Hold && answered_q && broken;
  assign out_ended = ended_q || (claimed_q && ended);
  assign out_broken = claimed_q && ended && broken;
  assign answer_why = out_broken && answer_refusal_q == Fine ? refusal_e'({4'd0, problem}) : answer_refusal_q;

  always_ff @(posedge clk_i) begin
    starts_q <= claim && refusal_q == Fine;
    if (made.ready) texted_q <= 1'b1;
    if (coming_q == Wait) came_with_q <= s_axis.header;
    if (claim) begin
      answers_q <= 1'b1;
      claimed_q <= 1'b1;
      texted_q <= 1'b0;
      answer_refusal_q <= refusal_q;
      header_q <= came_with_q;
      ended_q <= 1'b0;
      result_q <= shape;
      result_q.width <= parameter_width_i[15:0];
      result_q.height <= parameter_height_i[15:0];
      result_q.encoding <= Mono8;
      result_q.bigendian <= 1'b0;
    end
    if (done) begin
      answers_q <= 1'b0;
      answered_q <= claimed_q;
    end
    if (next) begin
      claimed_q <= 1'b0;
      texted_q <= 1'b0;
      answered_q <= 1'b0;
      ended_q <= 1'b1;
    end
    if (rst_i) begin
      answers_q <= 1'b0;
      claimed_q <= 1'b0;
      texted_q <= 1'b0;
      answered_q <= 1'b0;
    end
  end

  assign made.valid = seen.valid;
  assign made.pixel = seen.pixel;
  assign seen.ready = made.ready;
  lig_image_out #(.PIXELS(PIXELS)) write_image (
      .clk_i, .rst_i, .go_i(answers_q), .shape_i(result_q), .refusal_i(answer_why), .ended_i(out_ended),
      .broken_i(out_broken), .done_o(done), .text_address_o(text_address), .text_i(text), .pixels(made),
      .header_i(header_q), .m_axis);
endmodule
