// SPDX-License-Identifier: Apache-2.0
/// \file A node's parameters as ROS 2's tools reach them: six services and the topic
/// /parameter_events.
#pragma once

#include <ligament/node.hpp>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "node/node_state.hpp"

namespace ligament::detail {

/// Names and prefixes as rcl_interfaces/srv/ListParameters wants them.
struct ParameterListing {
  std::vector<std::string> names;
  std::vector<std::string> prefixes;
};
/// Depth counts the parts of a name; 0: all. Names are separated by dots.
[[nodiscard]] ParameterListing list_parameters(const std::vector<std::string>& names,
                                               const std::vector<std::string>& prefixes,
                                               std::uint64_t depth);

/// Tells on /parameter_events what was declared and what was set.
class ParameterEvents {
 public:
  explicit ParameterEvents(Node& node);
  ~ParameterEvents();
  ParameterEvents(const ParameterEvents&) = delete;
  ParameterEvents& operator=(const ParameterEvents&) = delete;

  void declared(const NodeState& node, const Parameter& parameter);
  void changed(const NodeState& node, const std::vector<Parameter>& parameters);

 private:
  struct Sender;
  std::unique_ptr<Sender> sender_;
};

/// The six services. They live as long as the handle that is returned.
[[nodiscard]] std::vector<std::shared_ptr<ServiceBase>> make_parameter_services(Node& node);

}  // namespace ligament::detail
