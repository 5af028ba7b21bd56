// SPDX-License-Identifier: Apache-2.0
#include "parts/light_node.hpp"

namespace ligament::nodes::driving {

class RedLight : public LightNode {
 public:
  explicit RedLight(const NodeOptions& options)
      : LightNode(
            options,
            {"red_traffic_light_detection", "red", "green",
             ColourRange{.hue_from = 340, .hue_to = 15, .saturation_from = 120, .value_from = 150},
             9, true}) {}
};

}  // namespace ligament::nodes::driving

LIGAMENT_REGISTER_NODE(ligament::nodes::driving::RedLight)
