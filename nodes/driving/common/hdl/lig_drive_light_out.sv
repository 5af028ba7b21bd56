// SPDX-License-Identifier: Apache-2.0
//
// lig_drive_light_out: what a light detector says (parts/light_message.hpp) as fields: a disc, or that it is done with a
// frame; and the end of an answer.
//
//   latency   of a disc about 60 cycles, else 1; then one per field, and one per 8 letters of the frame's name
module lig_drive_light_out
  import lig_fields_pkg::*;
  import lig_stream_pkg::*;
  import lig_drive_stamp_pkg::*;
  import lig_geometry_msgs_msg_point_stamped_pkg::*;
(
    input logic clk_i, rst_i,  // reset: synchronous, high

    // What follows is constant from start_i or finish_i on, while it is busy.
    input logic        start_i,  // a message
    input logic        finish_i, // the end of the answer, for the reason problem_i
    input header_t     header_i,
    input logic [63:0] problem_i,
    input logic        lit_i,    // a light: else there is none, or it does not count
    input stamp_t      stamp_i,
    input logic [16:0] twice_x_i,
    input logic [16:0] twice_y_i,
    input logic [16:0] four_radii_i,
    input logic [6:0]  letters_i,  // of the frame's name

    output logic        busy_o,   // from the next cycle on, until all was taken
    output logic [2:0]  piece_o,  // of the name: the 8 letters that are asked for
    input  logic [63:0] name_i,

    lig_fields_if.transmitter m_axis
);
  typedef enum logic [2:0] {Stand, Measure, Measured, Say, Finish} state_e;
  state_e state_q;
  logic [2:0] last_piece;
  logic [3:0] number_q;  // of what is measured, or said
  logic spreading;
  logic [16:0] measured;
  logic [63:0] double_bits, x_q, y_q;
  logic [31:0] unused_single;

  assign busy_o = state_q != Stand;
  assign last_piece = 3'((letters_i - 7'd1) >> 3);
  assign measured = number_q == 4'd0 ? twice_x_i : number_q == 4'd1 ? twice_y_i : four_radii_i;
  lig_drive_float to_float (
      .clk_i, .rst_i, .start_i(state_q == Measure), .fixed_i({47'd0, measured}), .bits_i(number_q == 4'd2 ? 6'd2 : 6'd1),
      .busy_o(spreading), .double_o(double_bits), .single_o(unused_single));

  localparam logic [3:0] NameCount = 4'd2, NamePieces = 4'd3, Ends = 4'd7;
  localparam logic [63:0] NoLight = 64'hBFF0_0000_0000_0000;  // -1
  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Stand: begin
        {number_q, piece_o} <= '0;
        if (finish_i) state_q <= Finish;
        else if (start_i) state_q <= lit_i ? Measure : Say;
      end
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
          if (number_q == NamePieces) piece_o <= piece_o + 1'b1;
          if (number_q == NameCount && letters_i == '0) number_q <= number_q + 4'd2;
          else if (number_q != NamePieces || piece_o == last_piece) number_q <= number_q + 1'b1;
          if (number_q == Ends) state_q <= Stand;
        end
      end
      default: if (m_axis.tready) state_q <= Stand;  // Finish
    endcase
    if (rst_i) state_q <= Stand;
  end

  logic [6:0] text_end;  // of the stamp and the name, with its length and its NUL
  assign text_end = letters_i + 7'd13;

  always_comb begin
    m_axis.header = header_i;
    m_axis.header.pad = '0;
    m_axis.header.length = 32'd28 + 32'(8'({1'b0, text_end} + 8'd7) & 8'hF8);
    m_axis.tvalid = state_q == Say || state_q == Finish;
    m_axis.tlast = state_q == Finish || number_q == Ends;
    m_axis.tkeep = 8'hFF;
    m_axis.tdata = lit_i ? double_bits : NoLight;
    m_axis.tuser = '{kind: Values, field: FIELD_POINT__Z};
    unique case (number_q)
      4'd0: begin
        m_axis.tdata = 64'(unsigned'(stamp_i.sec));
        m_axis.tkeep = 8'h0F;
        m_axis.tuser.field = FIELD_HEADER__STAMP__SEC;
      end
      4'd1: begin
        m_axis.tdata = 64'(stamp_i.nanosec);
        m_axis.tkeep = 8'h0F;
        m_axis.tuser.field = FIELD_HEADER__STAMP__NANOSEC;
      end
      NameCount: begin
        m_axis.tdata = 64'(letters_i);
        m_axis.tkeep = 8'h0F;
        m_axis.tuser = '{kind: Count, field: FIELD_HEADER__FRAME_ID};
      end
      NamePieces: begin
        m_axis.tdata = name_i;
        if (piece_o == last_piece && letters_i[2:0] != '0) m_axis.tkeep = ~(8'hFF << letters_i[2:0]);
        m_axis.tuser.field = FIELD_HEADER__FRAME_ID;
      end
      4'd4: begin
        m_axis.tdata = lit_i ? x_q : '0;
        m_axis.tuser.field = FIELD_POINT__X;
      end
      4'd5: begin
        m_axis.tdata = lit_i ? y_q : '0;
        m_axis.tuser.field = FIELD_POINT__Y;
      end
      default: ;
    endcase
    if (m_axis.tlast) begin
      m_axis.tkeep = 8'h01;
      m_axis.tuser = '{kind: state_q == Finish ? Broken : Done, field: '0};
      m_axis.tdata = state_q == Finish ? problem_i : '0;
    end
  end

  logic unused;
  assign unused = &{1'b0, unused_single};
endmodule
