// SPDX-License-Identifier: Apache-2.0
// Generated from sensor_msgs/msg/PointCloud2 by template alias.hpp.j2, ligament 0.1.0. Do not edit.
// Opt-in: rosidl's name for Ligament's type. Never together with the real rosidl header.
#pragma once

#include <ligament/sensor_msgs/msg/point_cloud2.hpp>

namespace sensor_msgs::msg {
using ::ligament::sensor_msgs::msg::PointCloud2;
}  // namespace sensor_msgs::msg
