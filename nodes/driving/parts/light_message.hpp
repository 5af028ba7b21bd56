// SPDX-License-Identifier: Apache-2.0
/// \file What a light detector says: a light that it has seen, or that it is done with a frame.
///
/// The stamp is that of the frame. `z` of the point is the disc's radius in pixels; a negative one
/// says that no light counts as seen in this frame. Each frame's last message is one of both, so
/// who takes it knows that all later ones are about later frames. A detector of another origin may
/// leave out the negative ones: then nobody waits for it.
#pragma once

#include <ligament/geometry_msgs/msg/point_stamped.hpp>
#include <ligament/qos.hpp>

#include "common/image_messages.hpp"

namespace ligament::nodes::driving {

using geometry_msgs::msg::PointStamped;
using geometry_msgs::msg::PointStampedView;

/// `z` of a frame without a light.
inline constexpr double kNoLight = -1;

/// Up to two messages of each frame: an old event again, and the frame's own.
[[nodiscard]] inline QoS light_qos() { return QoS(10); }

[[nodiscard]] inline bool says_light(const PointStampedView& view) {
  return !(view.point().z() < 0);
}

}  // namespace ligament::nodes::driving
