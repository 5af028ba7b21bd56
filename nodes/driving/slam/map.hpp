// SPDX-License-Identifier: Apache-2.0
/// \file The map: keyframes, and the points that they see.
#pragma once

#include <utility>
#include <vector>

#include "slam/features.hpp"
#include "slam/planar.hpp"

namespace ligament::nodes::driving::slam {

inline constexpr int kNone = -1;

struct Keyframe {
  PlanarPose pose;
  Features features;
  std::vector<int> points;  ///< of each feature: the map's point that it shows, or kNone
  PlanarPose odometry;      ///< in the wheels' own frame
};

struct MapPoint {
  cv::Point3d place;
  Descriptor descriptor{};
  std::vector<std::pair<int, int>> seen;  ///< keyframe and its feature
  bool on_ground = false;                 ///< then z is 0, which keeps the scale
  bool gone = false;
  int born = 0;      ///< the keyframe that it was made with
  int expected = 0;  ///< how often it should have been seen since then
  int found = 0;     ///< how often it was
};

/// Keyframes and points keep their numbers; a point that is gone stays in its place.
struct Map {
  std::vector<Keyframe> keyframes;
  std::vector<MapPoint> points;

  [[nodiscard]] Keyframe& keyframe(int i) { return keyframes[static_cast<std::size_t>(i)]; }
  [[nodiscard]] const Keyframe& keyframe(int i) const {
    return keyframes[static_cast<std::size_t>(i)];
  }
  [[nodiscard]] MapPoint& point(int i) { return points[static_cast<std::size_t>(i)]; }
  [[nodiscard]] const MapPoint& point(int i) const { return points[static_cast<std::size_t>(i)]; }
  [[nodiscard]] int newest() const { return static_cast<int>(keyframes.size()) - 1; }

  /// From now on the feature of a keyframe shows the point.
  void observe(int point_number, int keyframe_number, int feature) {
    auto& shown = keyframe(keyframe_number).points[static_cast<std::size_t>(feature)];
    if (shown != kNone) return;
    shown = point_number;
    point(point_number).seen.emplace_back(keyframe_number, feature);
  }

  void remove(int point_number) {
    auto& one = point(point_number);
    for (const auto& [k, feature] : one.seen) {
      keyframe(k).points[static_cast<std::size_t>(feature)] = kNone;
    }
    one.seen.clear();
    one.gone = true;
  }

  [[nodiscard]] std::size_t living() const {
    std::size_t count = 0;
    for (const auto& one : points) count += one.gone ? 0 : 1;
    return count;
  }
};

}  // namespace ligament::nodes::driving::slam
