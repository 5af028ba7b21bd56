// SPDX-License-Identifier: Apache-2.0
/// \file A room with a spotted floor and walls of stones, drawn ray by ray: a picture whose camera
/// is known exactly.
#pragma once

#include <cmath>
#include <cstdint>
#include <opencv2/core.hpp>

#include "slam/planar.hpp"

namespace ligament::nodes::driving::slam {

inline constexpr double kRoom = 1.6;   ///< half the room's length and width, m
inline constexpr double kWall = 0.9;   ///< height of its walls
inline constexpr double kBlock = 0.3;  ///< half the length of the block in its middle
inline constexpr double kBlockHigh = 0.5;

/// A grey value for a square of a surface; squares are as good as independent.
inline double shade(int surface, double u, double v, double size) {
  auto hash = static_cast<std::uint32_t>(surface) * 0x9e3779b9U;
  for (const double part : {u, v}) {
    hash ^= static_cast<std::uint32_t>(static_cast<std::int32_t>(std::floor(part / size)));
    hash *= 0x85ebca6bU;
    hash ^= hash >> 13;
  }
  hash *= 0xc2b2ae35U;
  return static_cast<double>((hash >> 8) & 0xff);
}

/// Draws what the camera sees from a pose into a grey picture.
inline cv::Mat draw_room(const RobotCamera& camera, const PlanarPose& pose) {
  cv::Mat picture(camera.size(), CV_8UC1);
  const cv::Point3d from = camera.centre(pose);
  for (int row = 0; row < picture.rows; ++row) {
    for (int column = 0; column < picture.cols; ++column) {
      const cv::Vec3d ray = camera.ray(pose, cv::Point2d(column, row));
      double nearest = 1e9;
      double grey = 200;  // the sky
      const auto look = [&](double length, double value) {
        if (length > 1e-6 && length < nearest) {
          nearest = length;
          grey = value;
        }
      };
      if (ray[2] < 0) {
        const double length = -from.z / ray[2];
        const double x = from.x + length * ray[0];
        const double y = from.y + length * ray[1];
        const double spots = 0.7 * shade(1, x, y, 0.02) + 0.3 * shade(2, x, y, 0.09);
        look(length, 60 + 0.5 * spots / (1 + length));  // far spots are mixed by a real camera
      }
      for (int wall = 0; wall < 8; ++wall) {
        const double half = wall < 4 ? kRoom : kBlock;
        const double high = wall < 4 ? kWall : kBlockHigh;
        const int axis = wall % 2;
        const double place = (wall / 2) % 2 == 0 ? half : -half;
        if (std::abs(ray[axis]) < 1e-9) continue;
        const double length = (place - (axis == 0 ? from.x : from.y)) / ray[axis];
        const double along = (axis == 0 ? from.y : from.x) + length * ray[1 - axis];
        const double up = from.z + length * ray[2];
        if (std::abs(along) > half || up < 0 || up > high) continue;
        look(length, 30 + 0.8 * shade(10 + wall, along, up, 0.05));
      }
      picture.at<std::uint8_t>(row, column) = cv::saturate_cast<std::uint8_t>(grey);
    }
  }
  return picture;
}

/// On a circle around the block, the camera ahead.
inline PlanarPose on_circle(double way, double radius = 0.85) {
  const double angle = way / radius;
  return {radius * std::cos(angle), radius * std::sin(angle),
          wrapped(angle + std::numbers::pi / 2)};
}

}  // namespace ligament::nodes::driving::slam
