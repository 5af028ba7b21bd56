// SPDX-License-Identifier: Apache-2.0
/// \file A node that moves into a container which runs others already (spec/run/moving.md): into a
/// slot of the shell that lives there.
#pragma once

#include <nlohmann/json.hpp>

#include "container/control.hpp"
#include "container/make_node.hpp"
#include "container/move_channel.hpp"
#include "container/node_holder.hpp"

namespace ligament::container {

/// `request` has in `config` the path of a configuration with this node alone, as it shall be here.
/// Status lines tell how it ended. The container's own nodes run on meanwhile.
void take_in(const nlohmann::json& request, MoveChannel& channel, NodeHolder& holder,
             Control& control, const Surroundings& around);

}  // namespace ligament::container
