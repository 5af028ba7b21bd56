// SPDX-License-Identifier: Apache-2.0
#include <ligament/component.hpp>

#include "join/join_node.hpp"

LIGAMENT_REGISTER_NODE(ligament::nodes::parallel::JoinNode)
