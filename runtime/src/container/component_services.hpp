// SPDX-License-Identifier: Apache-2.0
/// \file The services of ROS 2's component containers, for `ros2 component` and launch files:
/// `~/_container/load_node`, `unload_node` and `list_nodes` of the node `/NAME_container`, where
/// NAME is the container's. What a request may say: docs/how-to/load-nodes.md.
#pragma once

#include <ligament/node.hpp>
#include <memory>
#include <string>

#include "container/node_holder.hpp"

namespace ligament::container {

/// The name of the container's own node: characters that node names lack become `_`.
[[nodiscard]] std::string own_node_name(const std::string& container);

/// The container's own node with the three services. The holder must outlive it.
[[nodiscard]] std::shared_ptr<Node> make_component_services(const Surroundings& around,
                                                            NodeHolder& holder);

}  // namespace ligament::container
