// SPDX-License-Identifier: Apache-2.0
#include "parts/light_node.hpp"

namespace ligament::nodes::driving {

class GreenLight : public LightNode {
 public:
  explicit GreenLight(const NodeOptions& options)
      : LightNode(
            options,
            {"green_traffic_light_detection", "green", "red",
             ColourRange{.hue_from = 90, .hue_to = 170, .saturation_from = 80, .value_from = 150},
             5, false}) {}
};

}  // namespace ligament::nodes::driving

LIGAMENT_REGISTER_NODE(ligament::nodes::driving::GreenLight)
