// SPDX-License-Identifier: Apache-2.0
/// \file Who holds a socket name that we need, in words for people. Off the data path.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "memory/os/socket.hpp"

namespace ligament::pool::os {

/// "process 4711 of user 'mallory' (1001), `squat x`"; what cannot be read from here is left out.
[[nodiscard]] std::string describe(const PeerCredentials& who);

/// Who holds each of these abstract stream names: who has the socket, where we may look, else who
/// listens, as the kernel says. In this order, because a connection would be news to a process of
/// the graph. `pid` 0: that cannot be seen. Never blocks, whatever the holders do.
[[nodiscard]] std::vector<PeerCredentials> holders_of(const std::vector<std::string>& names);

}  // namespace ligament::pool::os
