// SPDX-License-Identifier: Apache-2.0
/// \file Parameters that several driving nodes have, with equal names, defaults and ranges.
#pragma once

#include <string>

#include "common/node_parts.hpp"
#include "kernels/colour.hpp"
#include "kernels/ground_scale.hpp"
#include "kernels/ground_view.hpp"
#include "kernels/lane_search.hpp"
#include "kernels/stripes.hpp"

namespace ligament::nodes::driving {

[[nodiscard]] inline int int_parameter(Node& node, const std::string& name, std::int64_t value,
                                       std::int64_t from, std::int64_t to) {
  return static_cast<int>(image::integer_parameter(node, name, value, {from, to, 1}));
}

/// What the view from above shows. Its size in pixels is that of the picture, or a parameter.
[[nodiscard]] inline GroundRectangle ground_edges(Node& node) {
  GroundRectangle r;
  r.near_edge = image::double_parameter(node, "near_edge", r.near_edge, {0, 100, 0});
  r.far_edge = image::double_parameter(node, "far_edge", r.far_edge, {0, 100, 0});
  r.half_width = image::double_parameter(node, "half_width", r.half_width, {0.01, 100, 0});
  return r;
}
[[nodiscard]] inline GroundRectangle ground_rectangle(Node& node) {
  GroundRectangle r = ground_edges(node);
  r.columns = int_parameter(node, "width", r.columns, 16, 4096);
  r.rows = int_parameter(node, "height", r.rows, 16, 1024);
  return r;
}

/// How the camera is mounted. Its size is that of each picture.
[[nodiscard]] inline MountedCamera mounted_camera(Node& node) {
  MountedCamera c;
  c.above_ground = image::double_parameter(node, "camera_height", c.above_ground, {0.001, 100, 0});
  c.ahead = image::double_parameter(node, "camera_ahead", c.ahead, {-100, 100, 0});
  c.pitch_down = image::double_parameter(node, "camera_pitch", c.pitch_down, {-45, 89, 0});
  c.horizontal_fov = image::double_parameter(node, "camera_fov", c.horizontal_fov, {1, 170, 0});
  return c;
}

/// Of one colour: PREFIX_hue_from and so on.
[[nodiscard]] inline ColourRange colour_range(Node& node, const std::string& prefix,
                                              const ColourRange& standard) {
  ColourRange r;
  r.hue_from = int_parameter(node, prefix + "hue_from", standard.hue_from, 0, 360);
  r.hue_to = int_parameter(node, prefix + "hue_to", standard.hue_to, 0, 360);
  r.saturation_from =
      int_parameter(node, prefix + "saturation_from", standard.saturation_from, 0, 255);
  r.saturation_to = int_parameter(node, prefix + "saturation_to", standard.saturation_to, 0, 255);
  r.value_from = int_parameter(node, prefix + "value_from", standard.value_from, 0, 255);
  return r;
}
[[nodiscard]] inline StripeColours stripe_colours(Node& node) {
  const StripeColours standard;
  return {colour_range(node, "yellow_", standard.yellow),
          colour_range(node, "white_", standard.white)};
}

[[nodiscard]] inline LaneMetres lane_metres(Node& node) {
  LaneMetres m;
  m.width = image::double_parameter(node, "lane_width", m.width, {0.01, 100, 0});
  m.stripe_width = image::double_parameter(node, "stripe_width", m.stripe_width, {0.001, 10, 0});
  return m;
}

}  // namespace ligament::nodes::driving
