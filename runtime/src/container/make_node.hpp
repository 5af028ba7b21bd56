// SPDX-License-Identifier: Apache-2.0
/// \file From what a configuration says about a node to the node.
#pragma once

#include <ligament/component.hpp>
#include <ligament/expected.hpp>
#include <ligament/node.hpp>
#include <memory>
#include <string>
#include <vector>

#include "container/config.hpp"

namespace ligament::container {

/// What stops a container before its nodes run: who is told by which status and sentences.
struct StartFailure {
  int status = 1;
  struct Line {
    std::string node;
    std::string text;
  };
  std::vector<Line> lines;
};

[[nodiscard]] inline unexpected<StartFailure> failure(int status, const std::string& node,
                                                      const std::string& text) {
  return unexpected<StartFailure>(StartFailure{status, {{node, text}}});
}

/// What all nodes of a container are made with.
struct Surroundings {
  const ContainerConfig& config;
  std::shared_ptr<Context> context;
  bool ros_tools = false;
};

/// What every node of the container has: the context, the topics, what ROS 2's tools ask for.
[[nodiscard]] NodeOptions common_options(const Surroundings& around);
/// A node of the configuration.
[[nodiscard]] expected<std::shared_ptr<Node>, StartFailure> make_node(const NodeConfig& node,
                                                                      const Surroundings& around);
/// Runs a node's constructor; the text says what it threw.
[[nodiscard]] expected<std::shared_ptr<Node>, std::string> construct(const NodeFactory& factory,
                                                                     const std::string& class_name,
                                                                     const NodeOptions& options);
/// Parameters that it was given and does not declare become errors of the node.
void tell_undeclared_overrides(const Node& node);

}  // namespace ligament::container
