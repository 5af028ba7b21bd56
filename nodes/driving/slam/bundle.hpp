// SPDX-License-Identifier: Apache-2.0
/// \file Bundle adjustment with Ceres: poses of keyframes and places of points together.
#pragma once

#include <vector>

#include "slam/map.hpp"

namespace ligament::nodes::driving::slam {

/// Moves the given keyframes and all points that they see, so that all of these are seen where
/// they should be. Other keyframes that see such a point stay. Points of the ground stay on it.
/// Sightings that do not fit afterwards are forgotten, and points without two of them are removed.
void adjust(const RobotCamera& camera, Map& map, const std::vector<int>& keyframes);

/// A keyframe seen from another one.
struct Link {
  int from = 0;
  int to = 0;
  PlanarPose step;
  double weight = 1;
};

/// Moves all keyframes but the first so that the links agree best, and each point with the
/// keyframe that it was made with.
void relax(Map& map, const std::vector<Link>& links);

}  // namespace ligament::nodes::driving::slam
