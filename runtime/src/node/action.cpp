// SPDX-License-Identifier: Apache-2.0
#include <sys/random.h>

#include <ligament/action.hpp>

#include "node/node_state.hpp"

namespace ligament {

std::string to_string(const GoalUUID& id) {
  constexpr const char* digits = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < id.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) {
      text += '-';
    }
    text += digits[id[i] >> 4U];
    text += digits[id[i] & 0xfU];
  }
  return text;
}

const char* to_string(GoalStatus status) {
  switch (status) {
    case GoalStatus::unknown:
      break;
    case GoalStatus::accepted:
      return "ACCEPTED";
    case GoalStatus::executing:
      return "EXECUTING";
    case GoalStatus::canceling:
      return "CANCELING";
    case GoalStatus::succeeded:
      return "SUCCEEDED";
    case GoalStatus::canceled:
      return "CANCELED";
    case GoalStatus::aborted:
      return "ABORTED";
  }
  return "UNKNOWN";
}

namespace detail {

std::string resolve_action_name(NodeState& node, const std::string& name) {
  auto resolved = resolve_name(name, node.place, node.remaps);
  if (!resolved) {
    node.report(NodeErrorKind::configuration, resolved.error().text);
    return {};
  }
  return *resolved;
}

/// A version 4 UUID, as rclcpp and rclpy make.
GoalUUID random_goal_id() {
  GoalUUID id{};
  while (::getrandom(id.data(), id.size(), 0) != static_cast<ssize_t>(id.size())) {
    // Only a signal while the system's entropy gathers, right after boot, gets here.
  }
  id[6] = static_cast<std::uint8_t>((id[6] & 0x0fU) | 0x40U);
  id[8] = static_cast<std::uint8_t>((id[8] & 0x3fU) | 0x80U);
  return id;
}

}  // namespace detail
}  // namespace ligament
