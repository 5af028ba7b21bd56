// SPDX-License-Identifier: Apache-2.0
//
// driving_lane_control: the FPGA form of driving/lane_control: a command for each new frame, and where frames stay away.
//
// Each message is answered by itself (`answers: each`). A lane waits until the detectors have said all that counts for its
// frame (lig_drive_waiting): so a lane, or what a detector says, is answered by the commands for all frames that need wait
// no longer, or by nothing; a tick of the node's clock by a command where none was given for long. What detectors say is
// taken first. What is computed is a program (lig_drive_control_pkg), of which the points of a lane need only two: those
// around the goal.
//
//   a lane   about 120 cycles per point, and 1500
//   storage  the calculator's registers, 32 events, 8 lanes
module driving_lane_control
  import lig_fields_pkg::*;
  import lig_stream_pkg::*;
  import lig_drive_calculator_pkg::*;
  import lig_drive_float_pkg::*;
  import lig_drive_control_pkg::*;
  import lig_geometry_msgs_msg_polygon_stamped_pkg::*;
(
    input logic clk_i, rst_i,  // reset: synchronous, high

    input logic [63:0] parameter_cruise_i,
    input logic [63:0] parameter_look_ahead_i,
    input logic [63:0] parameter_slow_in_curves_i,
    input logic [63:0] parameter_acceleration_i,
    input logic [63:0] parameter_deceleration_i,
    input logic [63:0] parameter_turn_limit_i,
    input logic [63:0] parameter_slow_after_ms_i,
    input logic [63:0] parameter_stop_after_ms_i,
    input logic [63:0] parameter_light_delay_ms_i,

    lig_fields_if.receiver s_axis_lane,
    lig_fields_if.receiver s_axis_red,
    lig_fields_if.receiver s_axis_green,
    lig_fields_if.receiver s_axis_watchdog,  // the time, at intervals

    lig_fields_if.transmitter m_axis
);
  typedef enum logic [4:0] {
    Clear, Begin, Loading,             // after a reset: registers and parameters
    Idle, Take, Point, Placed,         // a message
    Keep, Add, Note,                   // a lane; a light; that a detector is done with a frame
    Next, Store, Run, Ran, Judge, Look, Heed,  // a frame whose turn it may be
    Measure, Measured, Say, Finish     // its command, and the end of the answer
  } state_e;
  state_e state_q;
  typedef enum logic [1:0] {Lane, Red, Green, Tick} input_e;
  input_e input_q;
  logic [5:0] number_q;  // of what is done one after the other

  // It works on a message, or moves with its streams.
  logic clk;
  lig_rest #(.STREAMS(5)) rest (
      .clk_i, .rst_i, .busy_i(state_q != Idle),
      .valid_i({s_axis_lane.tvalid, s_axis_red.tvalid, s_axis_green.tvalid, s_axis_watchdog.tvalid, m_axis.tvalid}),
      .ready_i({s_axis_lane.tready, s_axis_red.tready, s_axis_green.tready, s_axis_watchdog.tready, m_axis.tready}),
      .clk_o(clk));

  // --- the message that is taken --------------------------------------------------------------------------

  logic valid, last, taken;
  logic [63:0] data;
  token_t user;
  header_t header, header_q;
  always_comb begin
    unique case (input_q)
      Lane: {valid, data, user, last, header} = {
          s_axis_lane.tvalid, s_axis_lane.tdata, s_axis_lane.tuser, s_axis_lane.tlast, s_axis_lane.header};
      Red: {valid, data, user, last, header} = {
          s_axis_red.tvalid, s_axis_red.tdata, s_axis_red.tuser, s_axis_red.tlast, s_axis_red.header};
      Green: {valid, data, user, last, header} = {
          s_axis_green.tvalid, s_axis_green.tdata, s_axis_green.tuser, s_axis_green.tlast, s_axis_green.header};
      default: {valid, data, user, last, header} = {
          s_axis_watchdog.tvalid, s_axis_watchdog.tdata, s_axis_watchdog.tuser, s_axis_watchdog.tlast, s_axis_watchdog.header};
    endcase
  end
  assign s_axis_lane.tready = state_q == Take && input_q == Lane;
  assign s_axis_red.tready = state_q == Take && input_q == Red;
  assign s_axis_green.tready = state_q == Take && input_q == Green;
  assign s_axis_watchdog.tready = state_q == Take && input_q == Tick;
  assign taken = state_q == Take && valid;

  // Sec and nanosec are the first fields of each of them; of a lane, each point's x and y.
  logic is_number, is_point, is_x, is_height;
  assign is_number = user.kind == Values && user.field <= FIELD_HEADER__STAMP__NANOSEC;
  assign is_height = user.kind == Values && user.field == lig_geometry_msgs_msg_point_stamped_pkg::FIELD_POINT__Z;
  assign is_x = user.field == FIELD_POLYGON__POINTS__X;
  assign is_point = input_q == Lane && user.kind == Values && (is_x || user.field == FIELD_POLYGON__POINTS__Y);

  // --- numbers of floats, and back ------------------------------------------------------------------------

  logic fixing, spreading, loading, loads;
  logic signed [63:0] fixed, loaded_value, value, given, first_stamp;
  logic [63:0] double_bits, speed_q;
  logic [31:0] unused_single;
  register_t loaded;
  lig_drive_load #(
      .COUNT(9),
      .REGISTERS({Cruise, LookAhead, SlowInCurves, Acceleration, Deceleration, TurnLimit, SlowMs, StopMs, DelayMs}),
      .BITS({{6{6'd16}}, {3{Whole}}})) load (
      .clk_i(clk), .rst_i, .start_i(state_q == Begin),
      .values_i({
          parameter_cruise_i, parameter_look_ahead_i, parameter_slow_in_curves_i, parameter_acceleration_i,
          parameter_deceleration_i, parameter_turn_limit_i, parameter_slow_after_ms_i, parameter_stop_after_ms_i,
          parameter_light_delay_ms_i}),
      .busy_o(loading), .write_o(loads), .register_o(loaded), .value_o(loaded_value));
  lig_drive_fixed to_fixed (
      .clk_i(clk), .rst_i, .start_i(taken && is_point), .float_i(wide_of(data[31:0])), .bits_i(6'd16), .busy_o(fixing),
      .fixed_o(fixed));
  lig_drive_float to_float (
      .clk_i(clk), .rst_i, .start_i(state_q == Measure), .fixed_i(value), .bits_i(6'd16), .busy_o(spreading), .double_o(double_bits),
      .single_o(unused_single));

  // --- frames that wait -----------------------------------------------------------------------------------

  lane_t coming, lane;
  lig_drive_goal goal (
      .clk_i(clk), .look_ahead_i(loaded_value[27:0]), .set_i(loads && loaded == LookAhead),
      .clear_i(state_q == Idle), .far_i(taken && is_point && !is_near(data[31:0])), .take_i(taken && is_point),
      .is_x_i(is_x), .place_i(state_q == Placed), .length_i(fixed[27:0]), .lane_o(coming));

  logic waiting, any, due, is_light_q;
  lig_drive_waiting #(.LANE_BITS($bits(lane_t))) frames (
      .clk_i(clk), .rst_i, .stamp_i(value), .add_i(state_q == Keep), .lane_i(coming),
      .light_i(state_q == Add), .done_i(state_q == Note), .which_i(input_q == Green), .pop_i(state_q == Judge && due),
      .busy_o(waiting), .any_o(any), .stamp_o(first_stamp), .lane_o(lane), .due_o(due));

  always_ff @(posedge clk) begin
    if (taken && is_height) is_light_q <= lig_drive_stamp_pkg::says_light(data);
  end

  // --- program and events ---------------------------------------------------------------------------------

  logic busy, write;
  block_t begin_q, why;
  step_t step;
  register_t place;
  lig_drive_calculator calculator (
      .clk_i(clk), .rst_i, .start_i(state_q == Run), .start_at_i(begin_q), .busy_o(busy), .why_o(why), .step_o(step),
      .instruction_i(instruction_at(step)), .write_i(write), .register_i(place), .value_i(given), .value_o(value));

  logic looking, is_red;
  lig_drive_lights lights (
      .clk_i(clk), .rst_i, .clear_i(state_q == Look && why == Anew), .add_i(state_q == Add), .ask_i(state_q == Look),
      .stamp_i(value), .red_i(input_q == Red), .busy_o(looking), .red_o(is_red));

  always_comb begin
    write = 1'b0;
    place = register_t'(number_q);
    given = '0;
    unique case (state_q)
      Clear: write = 1'b1;
      Loading: begin
        write = loads;
        place = loaded;
        given = loaded_value;
      end
      Take: begin
        write = valid && is_number;
        place = user.field[0] ? Nanosec : Sec;
        given = user.field[0] ? 64'({1'b0, data[31:0]}) : 64'(signed'(data[31:0]));
      end
      Store: begin
        write = 1'b1;
        unique case (place)
          Points: given = 64'(lane.points);
          AX: given = 64'(lane.ax);
          AY: given = 64'(lane.ay);
          BX: given = 64'(lane.bx);
          BY: given = 64'(lane.by);
          default: given = first_stamp;
        endcase
      end
      Keep, Add, Note, Next: place = Stamp;
      Judge, Look: place = Due;
      Heed: begin
        write = !looking && begin_q == OnLane;
        place = IsRed;
        given = 64'(is_red);
      end
      Measure: place = number_q[0] ? Turn : Speed;
      default: ;
    endcase
  end

  // --- what follows ---------------------------------------------------------------------------------------

  logic [63:0] problem_q;  // of a broken message; or that there is nothing to say
  always_ff @(posedge clk) begin
    unique case (state_q)
      Clear: begin
        number_q <= number_q + 1'b1;
        if (number_q == '1) state_q <= Begin;
      end
      Begin: state_q <= Loading;
      Loading: begin
        begin_q <= SetUp;
        if (!loading) state_q <= Run;
      end
      Idle: begin
        problem_q <= 64'(Nothing);
        input_q <= s_axis_red.tvalid ? Red : s_axis_green.tvalid ? Green : s_axis_watchdog.tvalid ? Tick : Lane;
        if (s_axis_red.tvalid || s_axis_green.tvalid || s_axis_watchdog.tvalid || s_axis_lane.tvalid) state_q <= Take;
      end
      Take: begin
        header_q <= header;
        begin_q <= input_q == Tick ? OnTick : input_q != Lane && is_light_q ? OnLight : OnMessage;
        if (taken && is_point) state_q <= Point;
        if (taken && last) begin
          if (user.kind == Broken) problem_q <= data;
          state_q <= user.kind == Broken ? Finish : Run;
        end
      end
      Point: if (!fixing) state_q <= Placed;
      Placed: state_q <= Take;
      Keep, Add, Note: state_q <= begin_q == OnLight ? Heed : Next;
      Next: begin  // of the first frame
        number_q <= 6'(Points);
        begin_q <= Need;
        if (!waiting) state_q <= any ? Store : Finish;
      end
      Store: begin
        number_q <= number_q + 1'b1;
        if (number_q == 6'(Stamp)) state_q <= Run;
      end
      Run: state_q <= Ran;
      Ran: begin
        number_q <= '0;
        if (!busy) begin
          unique case (begin_q)
            SetUp: state_q <= Idle;
            OnMessage: state_q <= input_q == Lane ? Keep : Note;
            OnLight: state_q <= why == Ready ? Add : Next;
            Need: state_q <= Judge;
            OnLane: state_q <= why == Skip ? Next : Look;
            default: state_q <= why == Publish ? Measure : Finish;  // OnFrame, OnTick
          endcase
        end
      end
      Judge: begin
        begin_q <= OnLane;
        state_q <= due ? Run : Finish;
      end
      Look: state_q <= Heed;
      Heed: begin
        if (!looking) begin
          begin_q <= OnFrame;
          state_q <= begin_q == OnLane ? Run : Next;
        end
      end
      Measure: state_q <= Measured;
      Measured: begin
        if (!spreading) begin
          number_q <= number_q + 1'b1;
          if (!number_q[0]) speed_q <= double_bits;
          state_q <= number_q[0] ? Say : Measure;
          if (number_q[0]) number_q <= '0;
        end
      end
      Say: begin
        if (m_axis.tready) begin
          number_q <= number_q + 1'b1;
          if (m_axis.tlast) state_q <= input_q == Tick ? Finish : Next;
        end
      end
      default: if (m_axis.tready) state_q <= Idle;
    endcase
    if (rst_i) begin
      state_q <= Clear;
      number_q <= '0;
    end
  end

  // --- the answer -----------------------------------------------------------------------------------------

  localparam logic [5:0] Ends = 6'd6;  // behind the fields of a Twist
  always_comb begin
    m_axis.header = header_q;
    m_axis.header.length = lig_geometry_msgs_msg_twist_pkg::Length;
    m_axis.header.pad = '0;
    m_axis.tvalid = state_q == Say || state_q == Finish;
    m_axis.tkeep = 8'hFF;
    m_axis.tdata = '0;
    m_axis.tuser = '{kind: Values, field: 12'(number_q)};
    m_axis.tlast = state_q == Finish || number_q == Ends;
    if (number_q == 6'(lig_geometry_msgs_msg_twist_pkg::FIELD_LINEAR__X)) m_axis.tdata = speed_q;
    if (number_q == 6'(lig_geometry_msgs_msg_twist_pkg::FIELD_ANGULAR__Z)) m_axis.tdata = double_bits;
    if (m_axis.tlast) begin
      m_axis.tkeep = 8'h01;
      m_axis.tuser = '{kind: state_q == Finish ? Broken : Done, field: '0};
      m_axis.tdata = state_q == Finish ? problem_q : '0;
    end
  end

  logic unused;
  assign unused = &{1'b0, s_axis_lane.tkeep, s_axis_red.tkeep, s_axis_green.tkeep, s_axis_watchdog.tkeep, unused_single};
endmodule
