// SPDX-License-Identifier: Apache-2.0
/// \file What SLAM tells of its map in messages: the way of its keyframes, and figures.
#pragma once

#include <cmath>
#include <cstdint>
#include <ligament/diagnostic_msgs/msg/diagnostic_array.hpp>
#include <ligament/geometry_msgs/msg/pose_stamped.hpp>
#include <ligament/nav_msgs/msg/path.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "slam/slam.hpp"

namespace ligament::nodes::driving::slam {

inline constexpr std::string_view kMapFrame = "map";

[[nodiscard]] inline std_msgs::msg::Header header_of(std::int64_t stamp_ns) {
  std_msgs::msg::Header header;
  header.stamp.sec = static_cast<std::int32_t>(stamp_ns / 1'000'000'000);
  header.stamp.nanosec = static_cast<std::uint32_t>(stamp_ns % 1'000'000'000);
  header.frame_id = kMapFrame;
  return header;
}

/// Keyframes in their order, each with the stamp of its picture; those of a loop are corrected.
[[nodiscard]] inline nav_msgs::msg::Path path_of(const Map& map,
                                                 const std::vector<std::int64_t>& stamps_ns,
                                                 std::int64_t now_ns) {
  nav_msgs::msg::Path path;
  path.header = header_of(now_ns);
  path.poses.reserve(map.keyframes.size());
  for (std::size_t i = 0; i < map.keyframes.size(); ++i) {
    const PlanarPose& pose = map.keyframes[i].pose;
    auto& one = path.poses.emplace_back();
    one.header = header_of(stamps_ns[i]);
    one.pose.position.x = pose.x;
    one.pose.position.y = pose.y;
    one.pose.orientation.z = std::sin(pose.heading / 2);
    one.pose.orientation.w = std::cos(pose.heading / 2);
  }
  return path;
}

/// Figures of the map, as ROS 2 shows the state of parts.
[[nodiscard]] inline diagnostic_msgs::msg::DiagnosticArray figures_of(const Slam& slam,
                                                                      const SlamStep& step,
                                                                      std::int64_t now_ns) {
  diagnostic_msgs::msg::DiagnosticArray told;
  told.header = header_of(now_ns);
  auto& one = told.status.emplace_back();
  one.level = step.tracked ? diagnostic_msgs::msg::DiagnosticStatus::OK
                           : diagnostic_msgs::msg::DiagnosticStatus::WARN;
  one.name = "slam";
  one.message = !step.located  ? "looks for its place in the map that was read"
                : step.tracked ? "follows the map"
                               : "sees nothing of the map: goes by the wheels";
  const auto add = [&](std::string key, std::size_t value) {
    auto& pair = one.values.emplace_back();
    pair.key = std::move(key);
    pair.value = std::to_string(value);
  };
  add("keyframes", slam.map().keyframes.size());
  add("points", slam.map().living());
  add("loops_closed", slam.loops_closed());
  add("matched", static_cast<std::size_t>(step.matched));
  return told;
}

}  // namespace ligament::nodes::driving::slam
