// SPDX-License-Identifier: Apache-2.0
/// \file What the camera of a robot on a lane sees, drawn from formulas: for still frames and
/// tests.
///
/// The track is a stadium: two straights joined by two half circles, driven counter-clockwise. The
/// lane's middle is its outline; a yellow stripe runs on the left, a white one on the right. A
/// traffic light stands to the right of the lane. Everything else is dark grey ground and sky.
#pragma once

#include <opencv2/core.hpp>

#include "kernels/ground_view.hpp"

namespace ligament::nodes::driving {

struct Track {
  double straight = 2.0;     ///< length of each straight, m
  double radius = 0.8;       ///< of the lane's middle in the half circles
  double lane_width = 0.30;  ///< between the stripes' centres
  double stripe_width = 0.03;
  double light_at = 1.5;  ///< along the first straight
  double light_aside = 0.30;
  double light_height = 0.22;
  double light_radius = 0.025;
  bool yellow = true;  ///< whether the stripe is painted
  bool white = true;
};

/// Where the robot is on the ground: x along the first straight, heading in radians.
struct Pose {
  double x = 0;
  double y = 0;
  double heading = 0;
};

enum class Lamp : std::uint8_t { off, red, green };

/// How far a place is to the left of the lane's middle (negative: to its right).
[[nodiscard]] double lateral_offset(const Track& track, double x, double y);
/// How far along the track, 0 ... its length, from the start of the first straight.
[[nodiscard]] double distance_along(const Track& track, double x, double y);
[[nodiscard]] double track_length(const Track& track);
/// The place on the lane's middle so far along, heading along it.
[[nodiscard]] Pose pose_at(const Track& track, double distance);
/// One step of a robot that drives with a speed and a turn rate.
[[nodiscard]] Pose moved(const Pose& pose, double speed, double turn, double seconds);

/// Draws rgb pixels into `picture`, which has the camera's size and is CV_8UC3.
void draw_road(const Track& track, const MountedCamera& camera, const Pose& pose, Lamp lamp,
               cv::Mat& picture);

}  // namespace ligament::nodes::driving
