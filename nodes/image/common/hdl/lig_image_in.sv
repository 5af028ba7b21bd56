// SPDX-License-Identifier: Apache-2.0
//
// lig_image_in: a sensor_msgs/Image, as a field stream, into its shape and a stream of its pixels.
//
// Every image core begins with it. The fields before `data` are kept (the text of frame_id in a small memory
// that lig_image_out reads), so the shape is known before the first pixel, and an image that cannot be
// processed is refused before anything left: then refusal_o says why, and its pixels are dropped.
//
// A pixel has 1, 3 or 4 bytes, and PIXELS of them may lie across two beats: they are cut out of the beat that is held and
// the one that is offered, so no gearbox stores anything else. Bytes behind a row (`step` longer than the row) and
// behind the last row are dropped, up to a beat of them per cycle.
//
//   latency              the count of data to the shape: 3 cycles; data's first beat to the first pixel: 1
//   initiation interval  PIXELS pixels, or what is left of a row
//   storage              64 bytes of text, the shape, one beat
//
// open_o is high from the moment the shape is known until next_i, with which the user lets the next message
// come; ended_o once the message's last beat was taken (broken_o: and it was Broken, for problem_o).
module lig_image_in
  import lig_fields_pkg::*;
  import lig_image_pkg::*;
  import lig_sensor_msgs_msg_image_pkg::*;
#(
    parameter int unsigned MAX_WIDTH  = 8192,  // longest side that is not refused, 1..32767
    parameter int unsigned MAX_HEIGHT = 8192,
    parameter int unsigned PIXELS     = 1,     // per cycle: 1, 2, 4, 8
    localparam int unsigned Bits      = bits_of(PIXELS)  // of the field stream
) (
    input logic clk_i, rst_i,  // reset: synchronous, high

    lig_fields_if.receiver s_axis,

    output logic     open_o,
    output shape_t   shape_o,
    output refusal_e refusal_o,
    output logic     ended_o,
    output logic     broken_o,
    output logic [3:0] problem_o,  // why
    input  logic     next_i,

    lig_image_pixels_if.transmitter pixels,

    input  logic [2:0]  text_address_i,  // beat of frame_id
    output logic [Bits-1:0] text_o       // in the same cycle
);
  if (MAX_WIDTH < 1 || MAX_WIDTH > 32767 || MAX_HEIGHT < 1 || MAX_HEIGHT > 32767) begin : g_rule_size
    $fatal(1, "lig_image_in: rule size: MAX_WIDTH = %0d, MAX_HEIGHT = %0d, 1..32767 is needed",
           MAX_WIDTH, MAX_HEIGHT);
  end
  if (PIXELS != 1 && PIXELS != 2 && PIXELS != 4 && PIXELS != 8) begin : g_rule_pixels
    $fatal(1, "lig_image_in: rule pixels: PIXELS = %0d, one of 1, 2, 4, 8 is needed", PIXELS);
  end

  localparam int unsigned K = Bits / 8;  // bytes of a beat
  localparam int unsigned L = $clog2(K);

  typedef enum logic [2:0] {Fields, Name, Size, Judge, Pixels, Rest} state_e;
  state_e state_q;

  // --- fields ---------------------------------------------------------------------------------------------

  // A register for each part of the shape: simulators copy a wide one whole where a part of it is set.
  logic [31:0] sec_q, nanosec_q;
  logic [6:0] frame_id_q;
  logic bigendian_q;
  encoding_e encoding_q;
  logic known_q;  // there is such an encoding
  logic [2:0] channels_q;
  refusal_e refusal_q;
  logic [31:0] height_q, width_q, step_q, count_q;
  logic [63:0] name_q;
  logic [5:0] letters_q;
  logic [2:0] text_q;
  logic [Bits-1:0] text[64/K];
  logic ended_q, broken_q;
  logic [3:0] problem_q;
  logic taken;
  logic [11:0] field;

  assign taken = s_axis.tvalid && s_axis.tready;
  assign field = s_axis.tuser.field;
  assign text_o = text[text_address_i[5-L:0]];

  // None of them changes among the pixels.
  logic fields_clk;
  lig_gate fields_gate (.clk_i, .rst_i, .wake_i(state_q != Pixels), .clk_o(fields_clk));

  always_ff @(posedge fields_clk) begin
    if (taken && state_q == Fields && s_axis.tuser.kind == Values && field == FIELD_HEADER__FRAME_ID) begin
      text[text_q[5-L:0]] <= s_axis.tdata;
    end
  end

  always_ff @(posedge fields_clk) begin
    if (taken && state_q == Fields && s_axis.tuser.kind == Values) begin
      unique case (field)
        FIELD_HEADER__STAMP__SEC: sec_q <= s_axis.tdata[31:0];
        FIELD_HEADER__STAMP__NANOSEC: nanosec_q <= s_axis.tdata[31:0];
        FIELD_HEADER__FRAME_ID: text_q <= text_q + 1'b1;
        FIELD_HEIGHT: height_q <= s_axis.tdata[31:0];
        FIELD_WIDTH: width_q <= s_axis.tdata[31:0];
        FIELD_ENCODING: name_q <= s_axis.tdata[63:0];
        FIELD_IS_BIGENDIAN: bigendian_q <= |s_axis.tdata[7:0];
        FIELD_STEP: step_q <= s_axis.tdata[31:0];
        default: ;
      endcase
    end
    if (taken && state_q == Fields && s_axis.tuser.kind == Count) begin
      unique case (field)
        FIELD_HEADER__FRAME_ID: begin
          frame_id_q <= s_axis.tdata[6:0];
          text_q <= '0;
        end
        FIELD_ENCODING: begin
          letters_q <= s_axis.tdata[5:0];
          name_q <= '0;
        end
        FIELD_DATA: count_q <= s_axis.tdata[31:0];
        default: ;
      endcase
    end
    if (state_q == Name) begin
      encoding_q <= encoding_of(letters_q, name_q[39:0]);
      known_q <= is_known(letters_q, name_q[39:0]);
    end
  end

  // --- judgement ------------------------------------------------------------------------------------------

  function automatic logic is_known(input logic [5:0] letters, input logic [39:0] name);
    logic known;
    known = 1'b0;
    for (int unsigned i = 0; i < 8; i++) begin
      if (letters == 6'(letters_of(encoding_e'(i))) && name == name_of(encoding_e'(i))) known = 1'b1;
    end
    return known;
  endfunction

  function automatic encoding_e encoding_of(input logic [5:0] letters, input logic [39:0] name);
    encoding_e encoding;
    encoding = Mono8;
    for (int unsigned i = 0; i < 8; i++) begin
      if (letters == 6'(letters_of(encoding_e'(i))) && name == name_of(encoding_e'(i))) encoding = encoding_e'(i);
    end
    return encoding;
  endfunction

  // The name, then what follows from it and from the sizes, then whether it fits: a cycle each.
  logic sized_q;
  logic [19:0] row_q;             // bytes of a row
  logic [31:0] lower_q, upper_q;  // step times height, by halves of step
  refusal_e judgement;

  always_ff @(posedge fields_clk) begin
    if (state_q == Size) begin
      channels_q <= channels_of(encoding_q);
      row_q <= 20'(width_q[15:0]) * 20'(channels_of(encoding_q));
      sized_q <= width_q != '0 && height_q != '0 && width_q <= MAX_WIDTH && height_q <= MAX_HEIGHT;
      lower_q <= 32'(step_q[15:0]) * 32'(height_q[15:0]);
      upper_q <= 32'(step_q[31:16]) * 32'(height_q[15:0]);
    end
  end

  always_comb begin
    judgement = Fine;
    if (!known_q) judgement = NoEncoding;
    else if (!sized_q) judgement = NoSize;
    else if (step_q < 32'(row_q)) judgement = ShortRows;
    else if (48'(count_q) < {upper_q, 16'd0} + 48'(lower_q)) judgement = ShortData;
  end

  // --- pixels ---------------------------------------------------------------------------------------------

  logic [Bits-1:0] beat_q;
  logic held_q;
  logic [L-1:0] at_q;        // byte of the held beat
  logic [15:0] column_q, line_q, last_at;  // the row's last pixels begin there
  logic [31:0] skip_q, gap_q;  // bytes behind this row still to drop; bytes behind each row
  logic [L:0] bytes, end_of;   // of the next pixels; at_q + what is taken
  logic across, move, dropping, last_column, last_line, refill;
  logic [Bits-1:0] offered;
  logic [32*PIXELS-1:0] cut;   // the next pixels, packed

  assign dropping = skip_q != '0;
  assign across = (L + 1)'(at_q) + bytes > (L + 1)'(K);
  assign offered = s_axis.tdata;
  assign pixels.valid = state_q == Pixels && held_q && !dropping && (!across || s_axis.tvalid);
  // Of a pixel that lies across, the lower bytes are the held beat's.
  always_comb begin
    cut = (32 * PIXELS)'(beat_q >> {at_q, 3'd0});
    if (across) cut = cut | (32 * PIXELS)'(offered << ((L + 4)'(Bits) - (L + 4)'({at_q, 3'd0})));
  end
  lig_image_spread #(.PIXELS(PIXELS)) spread (.channels_i(channels_q), .packed_i(cut), .pixels_o(pixels.pixel));

  // Of the last pixels of a row there may be fewer.
  if (PIXELS == 1) begin : g_one
    assign bytes = (L + 1)'(channels_q);
  end else begin : g_several
    logic [15:0] tail;
    assign tail = ((width_q[15:0] - 16'd1) & 16'(PIXELS - 1)) + 16'd1;
    assign bytes = (last_column ? tail[L:0] : (L + 1)'(PIXELS)) * (L + 1)'(channels_q);
  end

  always_comb begin
    move = pixels.valid && pixels.ready;
    end_of = (L + 1)'(at_q) + bytes;
    if (state_q == Pixels && dropping && held_q) begin
      move = 1'b1;
      end_of = skip_q > 32'((L + 1)'(K) - (L + 1)'(at_q)) ? (L + 1)'(K) : (L + 1)'(at_q) + skip_q[L:0];
    end
  end

  // The next beat is taken when the held one is used up, or there is none.
  assign refill = state_q == Pixels && (!held_q || (move && end_of >= (L + 1)'(K)));
  assign last_at = (width_q[15:0] - 16'd1) & ~16'(PIXELS - 1);
  assign last_column = column_q == last_at;
  assign last_line = line_q == height_q[15:0] - 16'd1;
  assign s_axis.tready = (state_q == Fields && !ended_q) || (state_q == Rest && !ended_q) ||
      (refill && s_axis.tuser.kind == Values);

  always_ff @(posedge clk_i) begin
    if (move) begin
      at_q <= end_of[L-1:0];
      if (end_of >= (L + 1)'(K)) held_q <= 1'b0;
      if (dropping) skip_q <= skip_q - 32'(end_of - (L + 1)'(at_q));
      else begin
        column_q <= column_q + 16'(PIXELS);
        if (last_column) begin
          column_q <= '0;
          line_q <= line_q + 16'd1;
          skip_q <= gap_q;
        end
      end
    end
    if (refill && s_axis.tvalid) begin
      beat_q <= s_axis.tdata;
      held_q <= s_axis.tuser.kind == Values;
    end
    if (state_q == Judge) begin
      held_q <= 1'b0;
      at_q <= '0;
      column_q <= '0;
      line_q <= '0;
      skip_q <= '0;
      gap_q <= step_q - 32'(row_q);
    end
  end

  // --- phases ---------------------------------------------------------------------------------------------

  logic starved;  // the message ends among its pixels: it was Broken
  assign starved = state_q == Pixels && s_axis.tvalid && s_axis.tuser.kind != Values;

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Fields: begin
        if (taken && s_axis.tuser.kind == Count && field == FIELD_DATA) state_q <= Name;
        if (taken && s_axis.tlast) state_q <= Rest;
      end
      Name: state_q <= Size;
      Size: state_q <= Judge;
      Judge: begin
        refusal_q <= judgement;
        state_q <= judgement == Fine ? Pixels : Rest;
      end
      Pixels: begin
        if (move && !dropping && last_column && last_line) state_q <= Rest;
        if (starved && !pixels.valid && !(dropping && held_q)) state_q <= Rest;
      end
      default: if (ended_q && next_i) state_q <= Fields;  // Rest
    endcase
    if (taken && s_axis.tlast) begin
      ended_q <= 1'b1;
      broken_q <= s_axis.tuser.kind == Broken;
      problem_q <= s_axis.tdata[3:0];
    end
    if (state_q == Rest && ended_q && next_i) begin
      ended_q <= 1'b0;
      refusal_q <= Fine;
    end
    if (rst_i) begin
      state_q <= Fields;
      ended_q <= 1'b0;
      broken_q <= 1'b0;
      refusal_q <= Fine;
    end
  end

  assign open_o = state_q == Pixels || state_q == Rest;
  assign shape_o = '{
      sec: sec_q, nanosec: nanosec_q, frame_id: frame_id_q, height: height_q[15:0], width: width_q[15:0],
      encoding: encoding_q, bigendian: bigendian_q};
  assign refusal_o = refusal_q;
  assign ended_o = ended_q;
  assign broken_o = ended_q && broken_q;
  assign problem_o = problem_q;
endmodule
