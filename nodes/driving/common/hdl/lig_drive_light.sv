// SPDX-License-Identifier: Apache-2.0
//
// lig_drive_light: a traffic light detector, red or green: the lit disc in a picture (kernels/light.hpp), and when that
// counts (lig_drive_watch).
//
// Each message is answered by itself (`answers: each`): a picture, and what the other detector says. Of a picture only the
// disc is kept, until the other detector has said all that counts for its frame; up to 5 wait. So the answer to one message
// may be what is said of frames before, or nothing. Messages of the other detector are taken first. What a picture changes
// is changed when all of it has come: it may prove broken.
//
//   a picture  as many cycles as its pixels need (lig_image_in), and about 25 for each run of the light's colour
//   storage    that of lig_drive_blobs and lig_drive_watch; 6 names of 64 bytes
module lig_drive_light
  import lig_fields_pkg::*;
  import lig_stream_pkg::*;
  import lig_image_pkg::*;
  import lig_drive_pkg::*;
  import lig_drive_stamp_pkg::*;
  import lig_geometry_msgs_msg_point_stamped_pkg::*;
#(
    parameter bit BEGINS = 1'b1,  // the red one: looks from the start, and repeats its event while it waits
    parameter int unsigned PIXELS = 1,  // per cycle
    parameter int unsigned MAX_WIDTH = 2048
) (
    input logic clk_i, rst_i,  // reset: synchronous, high

    input logic [63:0] parameter_hue_from_i, parameter_hue_to_i, parameter_saturation_from_i, parameter_saturation_to_i,
    input logic [63:0] parameter_value_from_i, parameter_rows_permille_i, parameter_diameter_from_i, parameter_diameter_to_i,
    input logic [63:0] parameter_confirm_i, parameter_alternates_i,

    lig_fields_if.receiver s_axis_image,
    lig_fields_if.receiver s_axis_other,
    lig_fields_if.transmitter m_axis
);
  typedef enum logic [4:0] {
    Idle, Take, Hear,                     // what the other detector says
    Begin, Search, Pass, Drop, Name,      // a picture
    Turn, Judge, Judged, Taken, Past,     // the frame whose turn it may be
    Say, Saying, Finish, Over             // what is said of it, and the end of the answer
  } state_e;
  state_e state_q;
  logic picture_q;  // it is a picture that is answered
  logic saying;

  // It works on a message, or moves with its streams.
  logic clk, searching;
  lig_rest #(.STREAMS(3)) rest (
      .clk_i, .rst_i, .busy_i(searching || !(state_q inside {Idle, Take, Search, Pass})),
      .valid_i({s_axis_image.tvalid, s_axis_other.tvalid, m_axis.tvalid}),
      .ready_i({s_axis_image.tready, s_axis_other.tready, m_axis.tready}), .clk_o(clk));
  // What does not look at pixels.
  logic frames_clk;
  lig_gate frames_gate (.clk_i(clk), .rst_i, .wake_i(state_q != Search), .clk_o(frames_clk));

  // --- the picture, and the disc in it --------------------------------------------------------------------

  localparam int unsigned Bits = bits_of(PIXELS);
  logic open, ended, broken, searched, done, found;
  logic [3:0] problem;
  shape_t shape;
  refusal_e refusal;
  logic [2:0] text_address;
  logic [Bits-1:0] text;
  logic [16:0] twice_x, twice_y, four_radii;
  lig_image_pixels_if #(.PIXELS(PIXELS)) coming (), pixels ();
  lig_image_in #(.MAX_WIDTH(MAX_WIDTH), .MAX_HEIGHT(8192), .PIXELS(PIXELS)) read_image (
      .clk_i(clk), .rst_i, .s_axis(s_axis_image), .open_o(open), .shape_o(shape), .refusal_o(refusal), .ended_o(ended),
      .broken_o(broken), .problem_o(problem), .next_i(state_q == Over && !saying && picture_q), .pixels(coming), .text_address_i(text_address), .text_o(text));
  lig_drive_disc #(.PIXELS(PIXELS), .MAX_WIDTH(MAX_WIDTH)) find_disc (
      .clk_i(clk), .rst_i, .start_i(state_q == Begin), .width_i(shape.width), .height_i(shape.height),
      .is_bgr_i(shape.encoding != Rgb8),
      .colour_i(range_of(
          parameter_hue_from_i, parameter_hue_to_i, parameter_saturation_from_i, parameter_saturation_to_i,
          parameter_value_from_i)),
      .rows_permille_i(parameter_rows_permille_i[9:0]), .diameter_from_i(parameter_diameter_from_i[12:0]),
      .diameter_to_i(parameter_diameter_to_i[12:0]), .pixels,
      .busy_o(searching), .searched_o(searched), .done_o(done), .found_o(found), .twice_x_o(twice_x), .twice_y_o(twice_y),
      .four_radii_o(four_radii));
  assign pixels.valid = coming.valid && state_q == Search;
  assign pixels.pixel = coming.pixel;
  assign coming.ready = state_q == Pass || (state_q == Search && pixels.ready);

  // --- frames that wait -----------------------------------------------------------------------------------

  localparam int unsigned Most = 5;
  typedef logic [2:0] place_t;
  typedef struct packed {
    stamp_t      stamp;
    place_t      name;  // where that is
    logic [6:0]  letters;
    logic        found;
    logic [16:0] twice_x;
    logic [16:0] twice_y;
    logic [16:0] four_radii;
  } frame_t;
  frame_t held[Most];  // the oldest first
  frame_t coming_frame, first, moved, said_q;  // said: the disc that was last seen
  stamp_t stamp_q;  // of the picture, which is here for some cycles before it is asked for
  place_t count_q, from_q, to_q;
  logic [Most:0] named_q;  // names that are in use
  place_t free_name;
  logic keeps_q;  // a picture is here that becomes a frame, but there are others before it
  logic looks_q, anew_q;  // in Drop's first cycle of a frame its stamp is looked at, in the second it goes or stays
  logic steps, drops, pops;
  logic taken, any_said_q;  // the disc of a frame that goes counts as seen; one was seen
  logic [2:0] piece_q;      // of a name

  always_ff @(posedge frames_clk) stamp_q <= normalised(shape.sec, shape.nanosec);
  assign coming_frame = '{
      stamp: stamp_q, name: free_name, letters: shape.frame_id, found: found, twice_x: twice_x, twice_y: twice_y,
      four_radii: four_radii};
  assign first = held[0];
  assign moved = held[from_q];
  assign steps = state_q == Drop && from_q < count_q && looks_q;
  assign drops = steps && anew_q;
  assign pops = state_q == Taken;
  always_comb begin
    free_name = '0;
    for (int i = Most; i >= 0; i--) begin
      if (!named_q[i]) free_name = 3'(i);
    end
  end

  always_ff @(posedge frames_clk) begin
    anew_q <= begins_anew(moved.stamp, stamp_q);
    looks_q <= state_q == Drop && !looks_q;
    if (steps) held[to_q] <= moved;
    if (pops) begin
      for (int unsigned i = 0; i + 1 < Most; i++) held[i] <= held[i+1];
    end
    if (state_q == Name && piece_q == '1) held[count_q] <= coming_frame;
  end
  always_ff @(posedge frames_clk) begin
    if (state_q == Pass) {from_q, to_q} <= '0;
    if (steps) begin
      from_q <= from_q + 1'b1;
      if (!drops) to_q <= to_q + 1'b1;
      if (drops) named_q[moved.name] <= 1'b0;
    end
    if (state_q == Drop && from_q >= count_q) count_q <= to_q;
    if (pops) begin
      count_q <= count_q - 1'b1;
      if (taken) said_q <= first;
      if (!taken) named_q[first.name] <= 1'b0;
      else if (any_said_q) named_q[said_q.name] <= 1'b0;
      if (taken) any_said_q <= 1'b1;
    end
    if (state_q == Name && piece_q == '1) begin
      count_q <= count_q + 1'b1;
      named_q[free_name] <= 1'b1;
    end
    if (rst_i) {count_q, named_q, any_said_q, said_q} <= '0;
  end

  // --- when a light counts --------------------------------------------------------------------------------

  logic watching, due, lost, says, is_own;
  logic is_light_q;
  stamp_t heard_q, lost_stamp, event_stamp;
  logic [31:0] heard_sec_q, heard_nanosec_q;
  lig_drive_watch #(.BEGINS(BEGINS)) watch (
      .clk_i(frames_clk), .rst_i, .confirm_i(parameter_confirm_i[3:0]), .alternates_i(parameter_alternates_i[0]),
      .light_i(state_q == Hear && is_light_q),
      .done_i(state_q == Hear && !is_light_q), .frame_i(state_q == Judge), .found_i(first.found),
      .stamp_i(state_q == Hear ? heard_q : first.stamp), .busy_o(watching), .due_o(due), .lost_o(lost),
      .done_o(lost_stamp), .says_o(says), .own_o(is_own), .taken_o(taken), .event_o(event_stamp));

  always_ff @(posedge frames_clk) begin
    if (state_q == Take && s_axis_other.tvalid && s_axis_other.tuser.kind == Values) begin
      if (s_axis_other.tuser.field == FIELD_HEADER__STAMP__SEC) heard_sec_q <= s_axis_other.tdata[31:0];
      if (s_axis_other.tuser.field == FIELD_HEADER__STAMP__NANOSEC) heard_nanosec_q <= s_axis_other.tdata[31:0];
      if (s_axis_other.tuser.field == FIELD_POINT__Z) is_light_q <= says_light(s_axis_other.tdata);
    end
    // Text and point come behind a stamp, so this is done before Hear.
    heard_q <= normalised(heard_sec_q, heard_nanosec_q);
  end

  // --- what is said: the disc that was last seen, and in whose frame --------------------------------------

  header_t header_q;
  logic [63:0] problem_q;
  logic [63:0] names[8*(Most+1)];
  logic [2:0] said_piece;
  stamp_t said_stamp_q, judged_q;
  logic lit_q;  // it is a light: else the detector is done with the frame
  lig_drive_light_out say (
      .clk_i(frames_clk), .rst_i, .start_i(state_q == Say), .finish_i(state_q == Finish), .header_i(header_q), .problem_i(problem_q),
      .lit_i(lit_q), .stamp_i(said_stamp_q), .twice_x_i(said_q.twice_x), .twice_y_i(said_q.twice_y),
      .four_radii_i(said_q.four_radii), .letters_i(said_q.letters), .busy_o(saying), .piece_o(said_piece),
      .name_i(names[{said_q.name, said_piece}]), .m_axis);

  // A beat of the text has as many pieces as it has words.
  localparam int unsigned W = $clog2(Bits / 64);
  logic [63:0] piece;
  assign text_address = piece_q >> W;
  always_comb begin
    piece = text[63:0];
    for (int unsigned i = 1; i < Bits / 64; i++) begin
      if ((piece_q & 3'(Bits / 64 - 1)) == 3'(i)) piece = text[64*i+:64];
    end
  end
  always_ff @(posedge frames_clk) begin
    if (state_q == Name) names[{free_name, piece_q}] <= piece;
  end

  // --- what follows ---------------------------------------------------------------------------------------

  logic colours;  // the picture has three channels
  logic lost_q;  // it was said, of a frame that was lost
  assign colours = shape.encoding inside {Rgb8, Bgr8, C3};
  assign s_axis_other.tready = state_q == Take;

  // What is said of a frame: an event of it or of one before, and that the detector is done with it.
  state_e then_q;  // behind what is said
  always_ff @(posedge clk) begin
    unique case (state_q)
      Idle: begin
        problem_q <= 64'(Nothing);
        {piece_q, lost_q, keeps_q} <= '0;
        picture_q <= !s_axis_other.tvalid;
        header_q <= s_axis_other.tvalid ? s_axis_other.header : s_axis_image.header;
        if (s_axis_other.tvalid) state_q <= Take;
        else if (open) state_q <= Begin;
      end
      Take: begin
        if (s_axis_other.tvalid && s_axis_other.tlast) begin
          if (s_axis_other.tuser.kind == Broken) problem_q <= s_axis_other.tdata;
          state_q <= s_axis_other.tuser.kind == Broken ? Finish : Hear;
        end
      end
      Hear: state_q <= Turn;
      Begin: begin
        if (refusal != Fine) problem_q <= 64'(refusal);
        else if (!colours) problem_q <= 64'(NoColour);
        state_q <= refusal == Fine && colours ? Search : Pass;
      end
      Search: if (searched ? done : ended) state_q <= Pass;
      Pass: begin
        if (ended) begin
          if (broken) problem_q <= 64'(problem);
          state_q <= broken || problem_q != 64'(Nothing) ? Finish : Drop;
        end
      end
      Drop: begin  // frames of the time before; of too many, the first waits no longer
        keeps_q <= 1'b1;
        if (from_q >= count_q) state_q <= to_q == 3'(Most) ? Judge : Name;
      end
      Name: begin
        keeps_q <= 1'b0;
        piece_q <= piece_q + 1'b1;
        if (piece_q == '1) state_q <= Turn;
      end
      Turn: begin
        if (!watching) begin
          if (count_q == '0) state_q <= Finish;
          else if (lost && !lost_q) begin
            lost_q <= 1'b1;
            said_stamp_q <= lost_stamp;
            lit_q <= 1'b0;
            then_q <= Turn;
            state_q <= Say;
          end else state_q <= due ? Judge : Finish;
        end
      end
      Judge: begin
        judged_q <= first.stamp;
        lost_q <= 1'b0;
        state_q <= Judged;
      end
      Judged: if (!watching) state_q <= Taken;
      Taken: begin
        said_stamp_q <= event_stamp;
        lit_q <= 1'b1;
        then_q <= !is_own ? Past : keeps_q ? Name : Turn;
        state_q <= says ? Say : Past;
      end
      Past: begin  // the detector is done with the frame
        said_stamp_q <= judged_q;
        lit_q <= 1'b0;
        then_q <= keeps_q ? Name : Turn;
        state_q <= Say;
      end
      Say: state_q <= Saying;
      Saying: if (!saying) state_q <= then_q;
      Finish: state_q <= Over;
      default: if (!saying) state_q <= Idle;  // Over
    endcase
    if (rst_i) state_q <= Idle;
  end

  logic unused;
  assign unused = &{1'b0, s_axis_other.tkeep};
endmodule
