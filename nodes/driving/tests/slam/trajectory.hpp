// SPDX-License-Identifier: Apache-2.0
/// \file The absolute trajectory error as evo defines it: the root of the mean squared distance
/// between positions, after the alignment that makes it least (Umeyama, 1991), with scale.
#pragma once

#include <cmath>
#include <vector>

#include "slam/planar.hpp"

namespace ligament::nodes::driving::slam {

struct Alignment {
  double scale = 1;
  double turn = 0;
  double rmse = 0;
};

/// Aligns `found` with `real`. In the plane the best turn has a closed form.
inline Alignment aligned(const std::vector<PlanarPose>& found,
                         const std::vector<PlanarPose>& real) {
  const auto count = static_cast<double>(found.size());
  double fx = 0, fy = 0, rx = 0, ry = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    fx += found[i].x / count;
    fy += found[i].y / count;
    rx += real[i].x / count;
    ry += real[i].y / count;
  }
  double dot = 0, cross = 0, spread = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double ax = found[i].x - fx, ay = found[i].y - fy;
    const double bx = real[i].x - rx, by = real[i].y - ry;
    dot += ax * bx + ay * by;
    cross += ax * by - ay * bx;
    spread += ax * ax + ay * ay;
  }
  Alignment best{std::hypot(dot, cross) / spread, std::atan2(cross, dot), 0};
  const double c = best.scale * std::cos(best.turn), s = best.scale * std::sin(best.turn);
  double sum = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double ax = found[i].x - fx, ay = found[i].y - fy;
    const double dx = c * ax - s * ay - (real[i].x - rx);
    const double dy = s * ax + c * ay - (real[i].y - ry);
    sum += dx * dx + dy * dy;
  }
  best.rmse = std::sqrt(sum / count);
  return best;
}

inline double path_length(const std::vector<PlanarPose>& poses) {
  double length = 0;
  for (std::size_t i = 1; i < poses.size(); ++i) length += distance(poses[i - 1], poses[i]);
  return length;
}

}  // namespace ligament::nodes::driving::slam
