// SPDX-License-Identifier: Apache-2.0
//
// lig_drive_lane: a lane's message, geometry_msgs/PolygonStamped, as publish_lane() of parts/lane_message.hpp makes it: a
// stamp, the frame base_link, and points in Q16 m.
//
//   latency  up to 60 cycles per point
module lig_drive_lane
  import lig_fields_pkg::*;
  import lig_stream_pkg::*;
  import lig_drive_stamp_pkg::*;
  import lig_geometry_msgs_msg_polygon_stamped_pkg::*;
(
    input logic clk_i, rst_i,  // reset: synchronous, high

    input  logic        start_i,  // what follows is constant until it is done
    input  header_t     header_i, // of the message that is answered
    input  stamp_t      stamp_i,
    input  logic [6:0]  points_i,
    input  logic        refuses_i,  // in place of it a Broken beat with problem_i
    input  logic [63:0] problem_i,
    output logic        busy_o,   // from the next cycle on, until it has left

    input  logic               point_valid_i,
    output logic               point_ready_o,
    input  logic signed [31:0] x_i,
    input  logic signed [31:0] y_i,

    lig_fields_if.transmitter m_axis
);
  typedef enum logic [3:0] {Stand, Sec, Nanosec, NameCount, Name, NameEnd, PointCount, Point, X, Y, Z, Finish, Refuse} state_e;
  state_e state_q;
  logic [6:0] left_q;
  logic spreading, spreads_x, spreads_y;
  logic [31:0] single;
  logic [63:0] unused_double;

  // x is made a float while the point is offered, y behind it; then the point is taken.
  assign spreads_x = state_q == Point && point_valid_i;
  assign spreads_y = state_q == X && m_axis.tvalid && m_axis.tready;
  assign point_ready_o = spreads_y;
  lig_drive_float to_float (
      .clk_i, .rst_i, .start_i(spreads_x || spreads_y), .fixed_i(64'(spreads_y ? y_i : x_i)), .bits_i(6'd16),
      .busy_o(spreading), .double_o(unused_double), .single_o(single));

  assign busy_o = state_q != Stand;
  assign m_axis.tvalid = state_q != Stand && state_q != Point && !(state_q inside {X, Y} && spreading);

  always_ff @(posedge clk_i) begin
    if (state_q == Stand) begin
      left_q <= points_i;
      if (start_i) state_q <= refuses_i ? Refuse : Sec;
    end else if (state_q == Point) begin
      if (point_valid_i) state_q <= X;
    end else if (m_axis.tvalid && m_axis.tready) begin
      unique case (state_q)
        Sec: state_q <= Nanosec;
        Nanosec: state_q <= NameCount;
        NameCount: state_q <= Name;
        Name: state_q <= NameEnd;
        NameEnd: state_q <= PointCount;
        PointCount: state_q <= left_q == '0 ? Finish : Point;
        X: state_q <= Y;
        Y: state_q <= Z;
        Z: begin
          left_q <= left_q - 1'b1;
          state_q <= left_q == 7'd1 ? Finish : Point;
        end
        default: state_q <= Stand;
      endcase
    end
    if (rst_i) state_q <= Stand;
  end

  always_comb begin
    m_axis.header = header_i;
    m_axis.header.pad = '0;
    m_axis.header.length = 32'd32 + 32'd12 * 32'(points_i);
    m_axis.tlast = state_q inside {Finish, Refuse};
    m_axis.tkeep = 8'h0F;
    m_axis.tdata = 64'(single);
    m_axis.tuser = '{kind: Values, field: FIELD_POLYGON__POINTS__X};
    unique case (state_q)
      Sec: begin
        m_axis.tdata = 64'(unsigned'(stamp_i.sec));
        m_axis.tuser.field = FIELD_HEADER__STAMP__SEC;
      end
      Nanosec: begin
        m_axis.tdata = 64'(stamp_i.nanosec);
        m_axis.tuser.field = FIELD_HEADER__STAMP__NANOSEC;
      end
      NameCount: begin
        m_axis.tdata = 64'd9;
        m_axis.tuser = '{kind: Count, field: FIELD_HEADER__FRAME_ID};
      end
      Name: begin
        m_axis.tdata = {"n", "i", "l", "_", "e", "s", "a", "b"};  // lowest byte first
        m_axis.tkeep = 8'hFF;
        m_axis.tuser.field = FIELD_HEADER__FRAME_ID;
      end
      NameEnd: begin
        m_axis.tdata = {56'd0, "k"};
        m_axis.tkeep = 8'h01;
        m_axis.tuser.field = FIELD_HEADER__FRAME_ID;
      end
      PointCount: begin
        m_axis.tdata = 64'(points_i);
        m_axis.tuser = '{kind: Count, field: FIELD_POLYGON__POINTS};
      end
      Y: m_axis.tuser.field = FIELD_POLYGON__POINTS__Y;
      Z: begin
        m_axis.tdata = '0;
        m_axis.tuser.field = FIELD_POLYGON__POINTS__Z;
      end
      Finish: begin
        m_axis.tdata = '0;
        m_axis.tuser = '{kind: Done, field: '0};
      end
      Refuse: begin
        m_axis.tdata = problem_i;
        m_axis.tuser = '{kind: Broken, field: '0};
      end
      default: ;
    endcase
  end

  logic unused;
  assign unused = &{1'b0, unused_double};
endmodule
