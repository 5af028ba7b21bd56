// SPDX-License-Identifier: Apache-2.0
/// \file What runs in a ROS domain, whatever middleware it is on: the pool's endpoints as the pool
/// has them, others as DDS and ros_discovery_info tell. Looks, and makes no endpoint of its own
/// but a reader of ros_discovery_info. Its form as JSON: spec/run/look.schema.json.
#pragma once

#include <cstdint>
#include <ligament/expected.hpp>
#include <nlohmann/json.hpp>
#include <string>

namespace ligament::look {

struct Options {
  std::uint32_t domain_id = 0;
  /// It has looked enough when nothing new was seen for so long, or after `most_s`.
  double quiet_s = 1;
  double most_s = 10;
};

[[nodiscard]] expected<nlohmann::json, std::string> look(const Options& options);

}  // namespace ligament::look
