// SPDX-License-Identifier: Apache-2.0
//
// lig_drive_light: a traffic light detector, red or green: the lit disc in a picture (kernels/light.hpp), and when that
// counts (LightWatch of kernels/light_watch.hpp).
//
// Each message is answered by itself (`answers: each`), by an event or by nothing: a picture, and an event of the other
// detector. Events are taken first. What a picture changes is changed when all of it has come: it may prove broken.
//
//   a picture  as many cycles as its pixels need (lig_image_in), and about 20 for each run of the light's colour
//   storage    that of lig_drive_blobs; a name of 64 bytes
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

    input colour_range_t colour_i,
    input logic [9:0]    rows_permille_i,
    input logic [12:0]   diameter_from_i,
    input logic [12:0]   diameter_to_i,
    input logic [3:0]    confirm_i,
    input logic          alternates_i,

    lig_fields_if.receiver s_axis_image,
    lig_fields_if.receiver s_axis_other,
    lig_fields_if.transmitter m_axis
);
  typedef enum logic [3:0] {
    Idle, Take, Hear,                            // an event of the other detector
    Begin, Search, Pass, Name, Decide, Confirm,  // a picture
    Measure, Measured, Say, Refuse, Over         // the answer
  } state_e;
  state_e state_q;
  logic picture_q;  // it is a picture that is answered
  localparam logic [3:0] NameCount = 4'd2, NamePieces = 4'd3, Ends = 4'd7;  // of what is said

  // --- the picture, and the disc in it --------------------------------------------------------------------

  localparam int unsigned Bits = bits_of(PIXELS);
  logic open, ended, broken, searched, done, found;
  shape_t shape;
  refusal_e refusal;
  logic [2:0] text_address;
  logic [Bits-1:0] text;
  logic [16:0] twice_x, twice_y, four_radii;
  lig_image_pixels_if #(.PIXELS(PIXELS)) coming (), pixels ();
  lig_image_in #(.MAX_WIDTH(MAX_WIDTH), .MAX_HEIGHT(8192), .PIXELS(PIXELS)) read_image (
      .clk_i, .rst_i, .s_axis(s_axis_image), .open_o(open), .shape_o(shape), .refusal_o(refusal), .ended_o(ended),
      .broken_o(broken), .next_i(state_q == Over && picture_q), .pixels(coming), .text_address_i(text_address), .text_o(text));
  lig_drive_disc #(.PIXELS(PIXELS), .MAX_WIDTH(MAX_WIDTH)) find_disc (
      .clk_i, .rst_i, .start_i(state_q == Begin), .width_i(shape.width), .height_i(shape.height),
      .is_bgr_i(shape.encoding != Rgb8), .colour_i, .rows_permille_i, .diameter_from_i, .diameter_to_i, .pixels,
      .searched_o(searched), .done_o(done), .found_o(found), .twice_x_o(twice_x), .twice_y_o(twice_y),
      .four_radii_o(four_radii));
  assign pixels.valid = coming.valid && state_q == Search;
  assign pixels.pixel = coming.pixel;
  assign coming.ready = state_q == Pass || (state_q == Search && pixels.ready);

  // --- which light holds ----------------------------------------------------------------------------------

  logic looks_q, any_frame_q, any_event_q, any_other_q;
  stamp_t frame_q, event_q, other_q, heard_q, stamp;
  logic [7:0] history_q;
  frame_e kind;
  logic will_look, is_old, heeded;
  assign stamp = normalised(shape.sec, shape.nanosec);
  assign kind = frame_behind(any_frame_q, frame_q, stamp);
  assign will_look = kind == Fresh ? looks_q : kind == Restarted && BEGINS;
  // Of red and green in one frame red holds: so for green an equal stamp is a later event.
  assign is_old = any_event_q && (BEGINS ? !is_later(heard_q, event_q) : is_later(event_q, heard_q));
  assign heeded = BEGINS || !any_other_q || is_later(frame_q, other_q);

  logic looked_q;   // at this picture
  logic announces;
  logic [31:0] heard_sec_q;
  always_ff @(posedge clk_i) begin
    if (state_q == Take && s_axis_other.tvalid && s_axis_other.tuser.kind == Values) begin
      if (s_axis_other.tuser.field == FIELD_HEADER__STAMP__SEC) heard_sec_q <= s_axis_other.tdata[31:0];
      if (s_axis_other.tuser.field == FIELD_HEADER__STAMP__NANOSEC)
        heard_q <= normalised(heard_sec_q, s_axis_other.tdata[31:0]);
    end
    if (state_q == Hear) begin
      if (!any_other_q || is_later(heard_q, other_q)) other_q <= heard_q;
      any_other_q <= 1'b1;
      if (!is_old) begin
        if (!looks_q) history_q <= '0;
        looks_q <= 1'b1;
      end
    end
    if (state_q == Begin) looked_q <= will_look;
    if (state_q == Decide && kind != Stale) begin
      any_frame_q <= 1'b1;
      frame_q <= stamp;
      if (kind == Restarted) begin
        any_event_q <= 1'b0;
        any_other_q <= 1'b0;
        looks_q <= BEGINS;
      end
      history_q <= looked_q ? {kind == Restarted ? 7'd0 : history_q[6:0], found} : kind == Restarted ? '0 : history_q;
    end
    if (state_q == Confirm && announces && looked_q) begin
      event_q <= frame_q;
      any_event_q <= 1'b1;
      if (alternates_i) begin
        looks_q <= 1'b0;
        history_q <= '0;
      end
    end
    if (rst_i) begin
      looks_q <= BEGINS;
      history_q <= '0;
      {any_frame_q, any_event_q, any_other_q} <= '0;
    end
  end

  // Of a picture that it looked at, a new event; of others the one before, while the other detector has not answered.
  assign announces = looked_q ? 4'($countones(history_q)) >= confirm_i && heeded : BEGINS && any_event_q;

  // --- what an event says: the disc that was last seen, and in whose frame --------------------------------

  logic [16:0] twice_x_q, twice_y_q, four_radii_q, measured;
  logic [6:0] letters_q;
  logic [63:0] name[8];
  logic [2:0] piece_q;   // of the name
  logic [3:0] number_q;  // of what is measured, or said
  logic spreading;
  logic [63:0] double_bits, x_q, y_q;
  logic [31:0] unused_single;

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
  always_ff @(posedge clk_i) begin
    if (state_q == Name) name[piece_q] <= piece;
    if (state_q == Name && piece_q == '0) begin
      letters_q <= shape.frame_id;
      {twice_x_q, twice_y_q, four_radii_q} <= {twice_x, twice_y, four_radii};
    end
    if (rst_i) {letters_q, twice_x_q, twice_y_q, four_radii_q} <= '0;
  end

  assign measured = number_q == 4'd0 ? twice_x_q : number_q == 4'd1 ? twice_y_q : four_radii_q;
  lig_drive_float to_float (
      .clk_i, .rst_i, .start_i(state_q == Measure), .fixed_i({47'd0, measured}), .bits_i(number_q == 4'd2 ? 6'd2 : 6'd1),
      .busy_o(spreading), .double_o(double_bits), .single_o(unused_single));

  // --- what follows ---------------------------------------------------------------------------------------

  header_t header_q;
  logic colours;  // the picture has three channels
  logic [63:0] problem_q;
  logic [2:0] last_piece;
  assign colours = shape.encoding inside {Rgb8, Bgr8, C3};
  assign last_piece = 3'((letters_q - 7'd1) >> 3);
  assign s_axis_other.tready = state_q == Take;

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Idle: begin
        problem_q <= 64'(Nothing);
        piece_q <= '0;
        number_q <= '0;
        picture_q <= !s_axis_other.tvalid;
        header_q <= s_axis_other.tvalid ? s_axis_other.header : s_axis_image.header;
        if (s_axis_other.tvalid) state_q <= Take;
        else if (open) state_q <= Begin;
      end
      Take: begin
        if (s_axis_other.tvalid && s_axis_other.tlast) begin
          if (s_axis_other.tuser.kind == Broken) problem_q <= s_axis_other.tdata;
          state_q <= s_axis_other.tuser.kind == Broken ? Refuse : Hear;
        end
      end
      Hear: state_q <= !BEGINS && is_old ? Measure : Refuse;
      Begin: begin
        if (refusal != Fine) problem_q <= 64'(refusal);
        else if (!colours) problem_q <= 64'(NoColour);
        state_q <= refusal == Fine && colours && will_look ? Search : Pass;
      end
      Search: if (searched ? done : ended) state_q <= Pass;
      Pass: begin
        if (ended) begin
          if (broken) problem_q <= 64'(TooShort);
          state_q <= broken || problem_q != 64'(Nothing) ? Refuse : looked_q && found ? Name : Decide;
        end
      end
      Name: begin
        piece_q <= piece_q + 1'b1;
        if (piece_q == '1) state_q <= Decide;
      end
      Decide: state_q <= kind == Stale ? Refuse : Confirm;
      Confirm: state_q <= announces ? Measure : Refuse;
      Measure: state_q <= Measured;
      Measured: begin
        if (!spreading) begin
          number_q <= number_q == 4'd2 ? '0 : number_q + 1'b1;
          if (number_q == 4'd0) x_q <= double_bits;
          if (number_q == 4'd1) y_q <= double_bits;
          state_q <= number_q == 4'd2 ? Say : Measure;
        end
      end
      Say: begin
        if (m_axis.tready) begin
          if (number_q == NamePieces) piece_q <= piece_q + 1'b1;
          if (number_q == NameCount && letters_q == '0) number_q <= number_q + 4'd2;
          else if (number_q != NamePieces || piece_q == last_piece) number_q <= number_q + 1'b1;
          if (number_q == Ends) state_q <= Over;
        end
      end
      Refuse: if (m_axis.tready) state_q <= Over;
      default: state_q <= Idle;  // Over
    endcase
    if (rst_i) state_q <= Idle;
  end

  // --- the answer -----------------------------------------------------------------------------------------

  logic [6:0] text_end;  // of the stamp and the name, with its length and its NUL
  assign text_end = letters_q + 7'd13;

  always_comb begin
    m_axis.header = header_q;
    m_axis.header.pad = '0;
    m_axis.header.length = 32'd28 + 32'(8'({1'b0, text_end} + 8'd7) & 8'hF8);
    m_axis.tvalid = state_q == Say || state_q == Refuse;
    m_axis.tlast = state_q == Refuse || number_q == Ends;
    m_axis.tkeep = 8'hFF;
    m_axis.tdata = double_bits;
    m_axis.tuser = '{kind: Values, field: FIELD_POINT__Z};
    unique case (number_q)
      4'd0: begin
        m_axis.tdata = 64'(unsigned'(event_q.sec));
        m_axis.tkeep = 8'h0F;
        m_axis.tuser.field = FIELD_HEADER__STAMP__SEC;
      end
      4'd1: begin
        m_axis.tdata = 64'(event_q.nanosec);
        m_axis.tkeep = 8'h0F;
        m_axis.tuser.field = FIELD_HEADER__STAMP__NANOSEC;
      end
      NameCount: begin
        m_axis.tdata = 64'(letters_q);
        m_axis.tkeep = 8'h0F;
        m_axis.tuser = '{kind: Count, field: FIELD_HEADER__FRAME_ID};
      end
      NamePieces: begin
        m_axis.tdata = name[piece_q];
        if (piece_q == last_piece && letters_q[2:0] != '0) m_axis.tkeep = ~(8'hFF << letters_q[2:0]);
        m_axis.tuser.field = FIELD_HEADER__FRAME_ID;
      end
      4'd4: begin
        m_axis.tdata = x_q;
        m_axis.tuser.field = FIELD_POINT__X;
      end
      4'd5: begin
        m_axis.tdata = y_q;
        m_axis.tuser.field = FIELD_POINT__Y;
      end
      default: ;
    endcase
    if (m_axis.tlast) begin
      m_axis.tkeep = 8'h01;
      m_axis.tuser = '{kind: state_q == Refuse ? Broken : Done, field: '0};
      m_axis.tdata = state_q == Refuse ? problem_q : '0;
    end
  end

  logic unused;
  assign unused = &{1'b0, s_axis_other.tkeep, unused_single};
endmodule
