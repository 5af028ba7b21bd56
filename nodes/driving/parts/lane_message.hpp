// SPDX-License-Identifier: Apache-2.0
/// \file The lane's middle as a message: points around the robot in metres, the nearest first. No
/// points: a frame in which no lane was seen.
#pragma once

#include <cmath>
#include <ligament/geometry_msgs/msg/polygon_stamped.hpp>
#include <ligament/publisher.hpp>
#include <span>
#include <string_view>
#include <vector>

#include "common/image_messages.hpp"
#include "kernels/ground_scale.hpp"

namespace ligament::nodes::driving {

using geometry_msgs::msg::PolygonStamped;
using geometry_msgs::msg::PolygonStampedView;

inline constexpr std::string_view kRobotFrame = "base_link";

inline void publish_lane(Publisher<PolygonStamped>& publisher, std::int64_t stamp_ns,
                         std::span<const GroundPoint> points) {
  geometry_msgs::msg::PolygonStampedShape shape;
  shape.header.frame_id = kRobotFrame.size();
  shape.polygon.points = points.size();
  auto loan = publisher.borrow_loaned_message(shape);
  if (!loan) return;  // counted and reported by the publisher
  auto& message = loan->get();
  image::set_stamp(message, stamp_ns);
  message.header().set_frame_id(kRobotFrame);
  for (const GroundPoint& from : points) {
    auto& point = message.polygon().points().next();
    point.set_x(static_cast<float>(from_fixed(from.x)));
    point.set_y(static_cast<float>(from_fixed(from.y)));
  }
  publisher.publish(std::move(*loan));
}

/// Other nodes may publish lanes: false where a number is none, or nowhere near a robot.
[[nodiscard]] inline bool read_lane(const PolygonStampedView& view,
                                    std::vector<GroundPoint>& points) {
  constexpr float kFarthest = 1000;
  points.clear();
  for (const auto& point : view.polygon().points()) {
    if (!(std::abs(point.x()) <= kFarthest && std::abs(point.y()) <= kFarthest)) return false;
    points.push_back({static_cast<std::int32_t>(to_fixed(static_cast<double>(point.x()))),
                      static_cast<std::int32_t>(to_fixed(static_cast<double>(point.y())))});
  }
  return true;
}

}  // namespace ligament::nodes::driving
