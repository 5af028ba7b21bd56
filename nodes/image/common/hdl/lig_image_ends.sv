// SPDX-License-Identifier: Apache-2.0
//
// lig_image_ends: both ends of a core that works on pixels: lig_image_in, lig_image_out, and whose turn it is.
//
// An image has come when its shape is known and the core is ready for it (ready_i: another input has come too). With
// PREPARES the core then computes the shape of its result, and says when it is known (prepared_i). While it is
// answered the image's pixels leave at raw, and what the core made of them is taken at made. What is left of an image
// that was refused or broken is let go. The answer to a broken one has the reason that came with it.
module lig_image_ends
  import lig_image_pkg::*;
#(
    parameter int unsigned MAX_WIDTH  = 8192,  // longest side that is not refused, 1..32767
    parameter int unsigned MAX_HEIGHT = 8192,
    parameter bit          PREPARES   = 1'b0,
    parameter int unsigned PIXELS     = 1  // per cycle: 1, 2, 4, 8
) (
    input logic clk_i, rst_i,  // reset: synchronous, high

    lig_fields_if.receiver s_axis,
    lig_fields_if.transmitter m_axis,

    input  logic  ready_i,
    input  logic  prepared_i,
    output turn_t turn_o,

    output shape_t   shape_o,    // from its start on
    output refusal_e refusal_o,
    input  shape_t   result_i,   // the answer's, while it is given
    input  refusal_e refusal_i,
    input  logic     broken_i,   // by another input, or by what the core found: from any time on

    lig_image_pixels_if.transmitter raw,
    lig_image_pixels_if.receiver made
);
  typedef enum logic [1:0] {Wait, Prepare, Answer, Flush} state_e;
  state_e state_q;

  logic open, ended, broken, done;
  logic early_q;          // it was broken before its answer began
  logic [3:0] problem;
  refusal_e why;
  logic [2:0] text_address;
  logic [bits_of(PIXELS)-1:0] text;
  lig_image_pixels_if #(.PIXELS(PIXELS)) coming ();

  lig_image_in #(.MAX_WIDTH(MAX_WIDTH), .MAX_HEIGHT(MAX_HEIGHT), .PIXELS(PIXELS)) read_image (
      .clk_i, .rst_i, .s_axis, .open_o(open), .shape_o, .refusal_o, .ended_o(ended), .broken_o(broken), .problem_o(problem),
      .next_i(state_q == Flush), .pixels(coming), .text_address_i(text_address), .text_o(text));

  lig_image_out #(.PIXELS(PIXELS)) write_image (
      .clk_i, .rst_i, .go_i(turn_o.answers), .shape_i(result_i), .refusal_i(why), .ended_i(ended),
      .broken_i(broken || broken_i), .done_o(done), .text_address_o(text_address), .text_i(text), .pixels(made),
      .header_i(s_axis.header), .m_axis);

  // What the core makes of a message without all its fields is no reason.
  assign why = early_q || (broken && refusal_i == Fine) ? refusal_e'({4'd0, problem}) : refusal_i;
  always_ff @(posedge clk_i) if (!turn_o.answers) early_q <= broken;

  assign turn_o.start = state_q == Wait && open && ready_i;
  assign turn_o.answers = state_q == Answer;
  assign turn_o.over = state_q == Flush && !open;
  assign raw.valid = coming.valid && turn_o.answers;
  assign raw.pixel = coming.pixel;
  assign coming.ready = state_q == Flush || (turn_o.answers && raw.ready);

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Wait: if (turn_o.start) state_q <= PREPARES ? Prepare : Answer;
      Prepare: if (prepared_i) state_q <= Answer;
      Answer: if (done) state_q <= Flush;
      Flush: if (turn_o.over) state_q <= Wait;
    endcase
    if (rst_i) state_q <= Wait;
  end
endmodule
