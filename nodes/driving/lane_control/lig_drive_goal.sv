// SPDX-License-Identifier: Apache-2.0
//
// lig_drive_goal: of a lane's points, those around look_ahead (goal_on() of kernels/drive.hpp needs no others).
module lig_drive_goal
  import lig_drive_control_pkg::lane_t;
(
    input logic clk_i,

    input logic signed [27:0] look_ahead_i,  // Q16, as all lengths
    input logic               set_i,

    input logic               clear_i,   // the next lane begins
    input logic               take_i,    // a coordinate comes, x before y
    input logic               is_x_i,
    input logic               far_i,     // it is none that a lane may have: then there is no lane
    input logic               place_i,   // it is length_i
    input logic signed [27:0] length_i,

    output lane_t lane_o
);
  typedef logic signed [27:0] length_t;  // up to 1000 m
  length_t look_ahead_q, x_q, ax_q, ay_q, bx_q, by_q;
  logic is_x_q, any_q, before_q, beyond_q, far_q;  // before: there is an A; beyond: B is behind look_ahead
  assign lane_o = '{
      points: far_q || !any_q ? 2'd0 : beyond_q && before_q ? 2'd2 : 2'd1, ax: ax_q, ay: ay_q, bx: bx_q, by: by_q};

  always_ff @(posedge clk_i) begin
    if (set_i) look_ahead_q <= look_ahead_i;
    if (clear_i) {any_q, before_q, beyond_q, far_q} <= '0;
    if (take_i) is_x_q <= is_x_i;
    if (far_i) far_q <= 1'b1;
    if (place_i) begin
      if (is_x_q) x_q <= length_i;
      else if (!beyond_q) begin
        {ax_q, ay_q, bx_q, by_q} <= {bx_q, by_q, x_q, length_i};
        any_q <= 1'b1;
        before_q <= any_q;
        beyond_q <= x_q >= look_ahead_q;
      end
    end
  end
endmodule
