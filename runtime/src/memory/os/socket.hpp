// SPDX-License-Identifier: Apache-2.0
/// \file Abstract unix sockets: names that live exactly as long as their process, outside any file
/// system, visible within one network namespace.
#pragma once

#include <cstdint>
#include <string>

#include "memory/os/system.hpp"

namespace ligament::pool::os {

struct PeerCredentials {
  std::int32_t pid = 0;  ///< 0: its process is not visible from our pid namespace
  std::uint32_t uid = 0;
};

/// Reserves an abstract name; EADDRINUSE if somebody has it. Connecting fails until
/// `start_listening`.
[[nodiscard]] expected<Fd, SystemError> bind_listener(const std::string& name);
/// The kernel remembers who called this: that is who `credentials_of` names.
[[nodiscard]] expected<void, SystemError> start_listening(const Fd& listener, int backlog);
/// Connects (never blocks, the other side need not accept) and asks the kernel who listens.
[[nodiscard]] expected<PeerCredentials, SystemError> credentials_of(const std::string& name);
/// The next process that connected to us; an invalid Fd in the error's place: none left.
[[nodiscard]] expected<PeerCredentials, SystemError> accept_credentials(const Fd& listener);

/// A mailbox that only means "look again": full is as good as delivered.
[[nodiscard]] expected<Fd, SystemError> open_mailbox(const std::string& name);
void drain_mailbox(const Fd& mailbox);
void notify(const Fd& from, const std::string& name);

}  // namespace ligament::pool::os
