// SPDX-License-Identifier: Apache-2.0
/// \file The new side of a move: a container whose only node takes the place of one that runs in
/// another container (spec/run/moving.md).
#pragma once

#include <cstdint>
#include <ligament/expected.hpp>
#include <ligament/node.hpp>
#include <string>

#include "container/move_channel.hpp"

namespace ligament::container {

/// When the old node had stopped: CLOCK_MONOTONIC, of this host.
struct TakenOver {
  std::int64_t stopped_ns = 0;
};

/// From `hello` to `go`. When it returns without an error, the node is this container's: run it.
/// With one, nothing of it may run, and the old one goes on.
[[nodiscard]] expected<TakenOver, std::string> take_over(MoveChannel& channel, Node& node);

}  // namespace ligament::container
