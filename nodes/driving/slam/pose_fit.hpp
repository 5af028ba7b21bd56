// SPDX-License-Identifier: Apache-2.0
/// \file Where the robot is, from points that are known and where they are seen.
#pragma once

#include <vector>

#include "slam/planar.hpp"

namespace ligament::nodes::driving::slam {

struct Sighting {
  cv::Point3d place;
  cv::Point2d pixel;
  double sigma = 1;
  bool fits = true;  ///< whether it agrees with the pose; fit_pose says it
};

/// Squared distance in sigmas up to which a sighting fits: 95 % of chi-square with two degrees.
inline constexpr double kFits = 5.991;

/// Moves `pose` to where the sightings agree best, and marks those that do not. Gauss-Newton with
/// Huber's weights; what does not fit is left out of the next round, and may come back. Returns how
/// many fit. `prior` pulls to the first pose with these sigmas (m, m, rad); 0: it does not.
int fit_pose(const RobotCamera& camera, std::vector<Sighting>& sightings, PlanarPose& pose,
             const cv::Vec3d& prior = {});

/// The squared distance of a sighting from where it should be, in sigmas; huge behind the camera.
[[nodiscard]] double misfit(const RobotCamera& camera, const PlanarPose& pose,
                            const Sighting& sighting);

}  // namespace ligament::nodes::driving::slam
