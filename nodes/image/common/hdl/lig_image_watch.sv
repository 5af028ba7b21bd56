// SPDX-License-Identifier: Apache-2.0
//
// lig_image_watch: what an image is, told to a core that lets its field stream pass and works on the bytes of `data`,
// up to eight per cycle. (lig_image_in is for cores that work on pixels.)
//
// The field in front of the data is its count, so all is known, and registered, when the first byte is offered:
// refusal_o says why the image cannot be processed. Rows without anything behind them only.
//
//   latency  1 cycle behind the count
module lig_image_watch
  import lig_fields_pkg::*;
  import lig_image_pkg::*;
  import lig_sensor_msgs_msg_image_pkg::*;
(
    input logic clk_i,

    input logic        taken_i,  // a beat of the field stream passes
    input logic [63:0] data_i,
    input token_t      user_i,

    output encoding_e   encoding_o,
    output logic [31:0] bytes_o,     // of the data
    output refusal_e    refusal_o
);
  logic [31:0] height_q, width_q, step_q, count_q;
  logic [63:0] name_q, size_q;  // size: what the data has by step and height
  logic [5:0] letters_q;
  logic known;

  always_ff @(posedge clk_i) begin
    if (taken_i && user_i.kind == Values) begin
      unique case (user_i.field)
        FIELD_HEIGHT: height_q <= data_i[31:0];
        FIELD_WIDTH: width_q <= data_i[31:0];
        FIELD_ENCODING: name_q <= data_i;
        FIELD_STEP: step_q <= data_i[31:0];
        default: ;
      endcase
    end
    if (taken_i && user_i.kind == Count && user_i.field == FIELD_ENCODING) begin
      letters_q <= data_i[5:0];
      name_q <= '0;
    end
    if (taken_i && user_i.kind == Count && user_i.field == FIELD_DATA) begin
      count_q <= data_i[31:0];
      size_q <= 64'(step_q) * 64'(height_q);
    end
  end

  always_comb begin
    encoding_o = Mono8;
    known = 1'b0;
    for (int unsigned i = 0; i < 8; i++) begin
      if (letters_q == 6'(letters_of(encoding_e'(i))) && name_q[39:0] == name_of(encoding_e'(i))) begin
        encoding_o = encoding_e'(i);
        known = 1'b1;
      end
    end
  end

  assign bytes_o = count_q;

  always_comb begin
    refusal_o = Fine;
    if (!known) refusal_o = NoEncoding;
    else if (width_q == '0 || height_q == '0 || width_q > 32'd32767 || height_q > 32'd32767) refusal_o = NoSize;
    else if (step_q < 32'(channels_of(encoding_o)) * width_q) refusal_o = ShortRows;
    else if (64'(count_q) < size_q) refusal_o = ShortData;
    else if (step_q != 32'(channels_of(encoding_o)) * width_q || 64'(count_q) != size_q) refusal_o = PaddedRows;
  end
endmodule
