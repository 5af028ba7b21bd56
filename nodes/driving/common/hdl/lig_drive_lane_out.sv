// SPDX-License-Identifier: Apache-2.0
//
// lig_drive_lane_out: a lane's middle as a geometry_msgs/PolygonStamped (parts/lane_message.hpp), as a field stream.
//
// One message is answered per go_i: with the points around the robot, or with one Broken beat.
//
//   latency  go_i to the first beat: none
//   a lane   7 cycles, and up to 111 per point, whose places become float32
module lig_drive_lane_out
  import lig_fields_pkg::*;
  import lig_stream_pkg::*;
  import lig_geometry_msgs_msg_polygon_stamped_pkg::*;
(
    input logic clk_i, rst_i,  // reset: synchronous, high

    input  logic        go_i,  // all that follows is valid; high until done_o
    input  logic        refuse_i,
    input  logic [7:0]  refusal_i,  // the Broken beat's code
    input  logic [31:0] sec_i,
    input  logic [31:0] nanosec_i,
    input  header_t     header_i,  // of the message that is answered
    input  logic [6:0]  points_i,  // how many, the nearest first
    output logic        done_o,    // one cycle, with the last beat

    output logic [6:0]         point_o,  // whose place is given in the same cycle
    input  logic signed [31:0] x_i,      // ahead, Q16 m
    input  logic signed [31:0] y_i,      // to the left

    lig_fields_if.transmitter m_axis
);
  typedef enum logic [3:0] {Sec, Nanosec, Letters, Frame, FrameEnd, Points, PointX, PointY, PointZ, Finish} state_e;
  state_e state_q;
  logic [6:0] point_q;
  logic [31:0] place;
  logic [63:0] unused_double;
  logic step, last_point, is_place, fresh_q, converts;

  // Behind the encapsulation: stamp, length of the frame's name, its 9 letters and NUL, padding, count.
  localparam logic [31:0] FrontBytes = 32'd32, PointBytes = 32'd12;

  assign point_o = point_q;
  assign last_point = point_q + 7'd1 == points_i;
  assign step = m_axis.tvalid && m_axis.tready;
  assign is_place = state_q inside {PointX, PointY};
  assign m_axis.tvalid = go_i && (refuse_i || !is_place || !(fresh_q || converts));
  assign m_axis.tlast = refuse_i || state_q == Finish;
  assign done_o = step && m_axis.tlast;
  lig_drive_float place_of (
      .clk_i, .rst_i, .start_i(fresh_q && is_place), .fixed_i(64'(state_q == PointX ? x_i : y_i)), .bits_i(6'd16),
      .busy_o(converts), .double_o(unused_double), .single_o(place));

  always_comb begin
    m_axis.header = header_i;
    m_axis.header.length = FrontBytes + PointBytes * 32'(points_i);
    m_axis.header.pad = '0;
    m_axis.tdata = '0;
    m_axis.tkeep = 8'h0F;
    m_axis.tuser = '{kind: Values, field: FIELD_HEADER__FRAME_ID};
    unique case (state_q)
      Sec: begin
        m_axis.tdata = 64'(sec_i);
        m_axis.tuser.field = FIELD_HEADER__STAMP__SEC;
      end
      Nanosec: begin
        m_axis.tdata = 64'(nanosec_i);
        m_axis.tuser.field = FIELD_HEADER__STAMP__NANOSEC;
      end
      Letters: begin
        m_axis.tdata = 64'd9;
        m_axis.tuser.kind = Count;
      end
      Frame: begin
        m_axis.tdata = "nil_esab";
        m_axis.tkeep = 8'hFF;
      end
      FrameEnd: begin
        m_axis.tdata = 64'h6B;
        m_axis.tkeep = 8'h01;
      end
      Points: begin
        m_axis.tdata = 64'(points_i);
        m_axis.tuser = '{kind: Count, field: FIELD_POLYGON__POINTS};
      end
      PointX: begin
        m_axis.tdata = 64'(place);
        m_axis.tuser.field = FIELD_POLYGON__POINTS__X;
      end
      PointY: begin
        m_axis.tdata = 64'(place);
        m_axis.tuser.field = FIELD_POLYGON__POINTS__Y;
      end
      PointZ: m_axis.tuser.field = FIELD_POLYGON__POINTS__Z;
      default: m_axis.tuser = '{kind: Done, field: '0};
    endcase
    if (refuse_i) begin
      m_axis.tdata = 64'(refusal_i);
      m_axis.tkeep = 8'h0F;
      m_axis.tuser = '{kind: Broken, field: '0};
    end
  end

  always_ff @(posedge clk_i) begin
    fresh_q <= step;
    if (step) begin
      unique case (state_q)
        Points: state_q <= points_i == '0 ? Finish : PointX;
        PointZ: begin
          point_q <= point_q + 7'd1;
          state_q <= last_point ? Finish : PointX;
        end
        default: state_q <= state_e'(state_q + 4'd1);
      endcase
    end
    if (rst_i || done_o) begin
      state_q <= Sec;
      point_q <= '0;
    end
  end
endmodule
