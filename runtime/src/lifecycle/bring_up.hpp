// SPDX-License-Identifier: Apache-2.0
/// \file Brings lifecycle nodes up by their services: first all are configured, then all are
/// activated, each time in the order in which they are named. Ours, rclcpp's and rclpy's alike.
#pragma once

#include <chrono>
#include <functional>
#include <ligament/expected.hpp>
#include <ligament/node.hpp>
#include <memory>
#include <string>
#include <vector>

namespace ligament::lifecycle {

/// Which node did not come up, and why: one sentence that says what to do.
struct BringUpError {
  std::string node;
  std::string text;
};

struct BringUpRequest {
  std::vector<std::string> nodes;                                ///< fully qualified names
  std::chrono::nanoseconds patience = std::chrono::seconds(30);  ///< for each step of each node
  /// Told after each step: the node, and the state that it is in.
  std::function<void(const std::string& node, const std::string& state)> told;
};

/// Through clients of `asker`, which no executor runs. A node that is in the wanted state already
/// is left as it is. The first that does not follow ends it: those before it stay as they are.
[[nodiscard]] expected<void, BringUpError> bring_up(const std::shared_ptr<Node>& asker,
                                                    const BringUpRequest& request);

}  // namespace ligament::lifecycle
