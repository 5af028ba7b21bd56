// SPDX-License-Identifier: Apache-2.0
//
// lig_image_out: a shape and a stream of pixels into a sensor_msgs/Image as a field stream.
//
// Every image core ends with it. The shape says all that is in front of the pixels, so the message's exact
// length is in m_axis.header before the first pixel was computed. Rows are packed tightly. PIXELS pixels leave as a
// beat of 1, 3 or 4 bytes each, which lig_pack joins; a row's last beat may have fewer.
//
// One message is answered per go_i: with the image, or with one Broken beat where refusal_i or broken_i say
// so. Broken_i may also rise later, when the input turns out to be broken: the answer then ends with Broken.
//
//   latency              go_i to the first pixel: 12 cycles and the text of frame_id
//   initiation interval  PIXELS pixels, or what is left of a row
//   storage              two counters, the header
module lig_image_out
  import lig_fields_pkg::*;
  import lig_stream_pkg::*;
  import lig_image_pkg::*;
  import lig_sensor_msgs_msg_image_pkg::*;
#(
    parameter int unsigned PIXELS = 1,  // per cycle: 1, 2, 4, 8
    localparam int unsigned Bits  = bits_of(PIXELS)  // of the field stream
) (
    input logic clk_i, rst_i,  // reset: synchronous, high

    input  logic     go_i,       // the shape is valid; high until done_o
    input  shape_t   shape_i,
    input  refusal_e refusal_i,
    input  logic     ended_i,    // the input's last beat was taken
    input  logic     broken_i,
    output logic     done_o,     // the answer is complete; one cycle

    output logic [2:0]  text_address_o,
    input  logic [Bits-1:0] text_i,

    lig_image_pixels_if.receiver pixels,

    input header_t header_i,  // of the input

    lig_fields_if.transmitter m_axis
);
  localparam int unsigned K = Bits / 8;  // bytes of a beat
  localparam int unsigned L = $clog2(K);

  typedef enum logic [3:0] {
    Idle, Measure, Sec, Nanosec, TextCount, Text, Height, Width, NameCount, Name, Bigendian, Step, DataCount,
    Pixels, Finish, Refuse
  } state_e;
  state_e state_q, next;

  logic [19:0] row_q;    // bytes of a row
  logic [31:0] bytes_q;  // of the data
  logic [7:0] start_q;   // where in the message the data begins
  logic [2:0] text_q;
  logic [15:0] column_q, line_q, width, height, last_at;  // the row's last pixels begin there
  logic [6:0] frame_id;
  encoding_e encoding;
  logic [2:0] channels;
  logic [K-1:0] keep_q, tail_keep_q, keep;  // of the pixels of a beat, of the last one of a row
  logic [Bits-1:0] mask;      // lanes that are not kept are 0, as everywhere on a field stream
  logic [32*PIXELS-1:0] gathered;
  logic step, last_column, last_pixel, broken;
  logic stays_q;  // a pixel was offered and waits: it may not become a Broken beat
  logic [3:0] text_beats;

  assign width = shape_i.width;
  assign height = shape_i.height;
  assign frame_id = shape_i.frame_id;
  assign encoding = shape_i.encoding;
  assign channels = channels_of(encoding);
  assign text_beats = 4'((shape_i.frame_id + 7'(K - 1)) >> L);
  assign text_address_o = text_q;
  assign last_at = (width - 16'd1) & ~16'(PIXELS - 1);
  assign last_column = column_q == last_at;
  assign last_pixel = last_column && line_q == height - 16'd1;
  assign broken = broken_i && !stays_q;

  // Encapsulation, stamp, text, padding to 4, height and width, name, bigendian, padding, step, count; texts have a NUL.
  function automatic logic [7:0] begin_of(input logic [6:0] text_bytes, input encoding_e name);
    logic [7:0] begins;
    begins = 8'd8 + 8'd5 + 8'(text_bytes);
    begins = ((begins + 8'd3) & 8'hFC) + 8'd8 + 8'd5 + 8'(letters_of(name)) + 8'd1;
    return ((begins + 8'd3) & 8'hFC) + 8'd8 + 8'd4;
  endfunction

  always_comb begin
    m_axis.header = header_i;
    m_axis.header.length = 32'(start_q) + bytes_q;
    m_axis.header.pad = 6'(8'd0 - start_q);
  end

  // --- the beat -------------------------------------------------------------------------------------------

  assign m_axis.tvalid = state_q == Pixels ? pixels.valid || broken :
      state_q == Finish ? ended_i : !(state_q inside {Idle, Measure});
  assign pixels.ready = state_q == Pixels && m_axis.tready && !broken;
  assign m_axis.tlast = state_q inside {Finish, Refuse} || (state_q == Pixels && broken);
  assign step = m_axis.tvalid && m_axis.tready;
  assign done_o = step && m_axis.tlast;

  function automatic logic [K-1:0] keep_of(input logic [6:0] bytes);
    return ~({K{1'b1}} << bytes);
  endfunction

  // Of a row's last beat; PIXELS is a power of two.
  logic [15:0] tail;
  assign tail = ((width - 16'd1) & 16'(PIXELS - 1)) + 16'd1;
  assign keep = PIXELS > 1 && last_column ? tail_keep_q : keep_q;
  for (genvar i = 0; i < K; i++) begin : g_mask
    assign mask[8*i+:8] = {8{keep[i]}};
  end
  lig_image_gather #(.PIXELS(PIXELS)) gather (.channels_i(channels), .pixels_i(pixels.pixel), .packed_o(gathered));

  logic [6:0] text_left;
  assign text_left = shape_i.frame_id - (7'(text_q) << L);

  always_comb begin
    m_axis.tdata = '0;
    m_axis.tkeep = K'(8'h0F);
    m_axis.tuser = '{kind: Values, field: FIELD_DATA};
    unique case (state_q)
      Sec: begin
        m_axis.tdata = Bits'(shape_i.sec);
        m_axis.tuser.field = FIELD_HEADER__STAMP__SEC;
      end
      Nanosec: begin
        m_axis.tdata = Bits'(shape_i.nanosec);
        m_axis.tuser.field = FIELD_HEADER__STAMP__NANOSEC;
      end
      TextCount: begin
        m_axis.tdata = Bits'(shape_i.frame_id);
        m_axis.tuser = '{kind: Count, field: FIELD_HEADER__FRAME_ID};
      end
      Text: begin
        m_axis.tdata = text_i;
        m_axis.tkeep = keep_of(text_left > 7'(K) ? 7'(K) : text_left);
        m_axis.tuser.field = FIELD_HEADER__FRAME_ID;
      end
      Height: begin
        m_axis.tdata = Bits'(shape_i.height);
        m_axis.tuser.field = FIELD_HEIGHT;
      end
      Width: begin
        m_axis.tdata = Bits'(shape_i.width);
        m_axis.tuser.field = FIELD_WIDTH;
      end
      NameCount: begin
        m_axis.tdata = Bits'(letters_of(shape_i.encoding));
        m_axis.tuser = '{kind: Count, field: FIELD_ENCODING};
      end
      Name: begin
        m_axis.tdata = Bits'(name_of(shape_i.encoding));
        m_axis.tkeep = keep_of(7'(letters_of(shape_i.encoding)));
        m_axis.tuser.field = FIELD_ENCODING;
      end
      Bigendian: begin
        m_axis.tdata = Bits'(shape_i.bigendian);
        m_axis.tkeep = K'(8'h01);
        m_axis.tuser.field = FIELD_IS_BIGENDIAN;
      end
      Step: begin
        m_axis.tdata = Bits'(row_q);
        m_axis.tuser.field = FIELD_STEP;
      end
      DataCount: begin
        m_axis.tdata = Bits'(bytes_q);
        m_axis.tuser.kind = Count;
      end
      Pixels: begin
        m_axis.tdata = Bits'(gathered) & mask;
        m_axis.tkeep = keep;
        if (broken) begin
          m_axis.tdata = Bits'(refusal_i);
          m_axis.tkeep = K'(8'h0F);
          m_axis.tuser = '{kind: Broken, field: '0};
        end
      end
      Finish: begin
        m_axis.tdata = Bits'(refusal_i);
        m_axis.tuser = '{kind: broken ? Broken : Done, field: '0};
      end
      Refuse: begin
        m_axis.tdata = Bits'(refusal_i);
        m_axis.tuser = '{kind: Broken, field: '0};
      end
      default: ;
    endcase
  end

  // --- what follows ---------------------------------------------------------------------------------------

  always_comb begin
    next = state_q;
    unique case (state_q)
      Idle: if (go_i) next = refusal_i != Fine || broken_i ? Refuse : Measure;
      Measure: next = Sec;
      TextCount: next = shape_i.frame_id == '0 ? Height : Text;
      Text: if (4'(text_q) + 4'd1 == text_beats) next = Height;
      Pixels: begin
        if (broken) next = Idle;
        else if (last_pixel) next = Finish;
      end
      Finish, Refuse: next = Idle;
      default: next = state_e'(state_q + 4'd1);
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (step || state_q inside {Idle, Measure}) state_q <= next;
    stays_q <= state_q == Pixels && pixels.valid && !broken && !m_axis.tready;
    if (state_q == Idle) begin
      row_q <= 20'(width) * 20'(channels);
      start_q <= begin_of(frame_id, encoding);
      keep_q <= keep_of(7'(PIXELS) * 7'(channels));
      tail_keep_q <= keep_of(7'(tail) * 7'(channels));
      text_q <= '0;
      column_q <= '0;
      line_q <= '0;
    end
    if (state_q == Measure) bytes_q <= 32'(row_q) * 32'(height);
    if (step && state_q == Text) text_q <= text_q + 1'b1;
    if (step && state_q == Pixels) begin
      column_q <= column_q + 16'(PIXELS);
      if (last_column) begin
        column_q <= '0;
        line_q <= line_q + 16'd1;
      end
    end
    if (rst_i) state_q <= Idle;
  end
endmodule
