// SPDX-License-Identifier: Apache-2.0
/// \file Abstract unix sockets: names that live exactly as long as their process, outside any file
/// system, visible within one network namespace.
#pragma once

#include <cstdint>
#include <string>

#include "memory/os/foreign.hpp"
#include "memory/os/system.hpp"

namespace ligament::pool::os {

struct PeerCredentials {
  std::int32_t pid = 0;  ///< 0: its process is not visible from our pid namespace
  std::uint32_t uid = 0;
};

/// What a newcomer says of itself when it connects. Nobody vouches for it: it is a hint where to
/// look, and a reason not to look again at who is known already.
struct Greeting {
  std::uint64_t nonce = 0;
  std::uint32_t directory_fd = 0;
  std::uint32_t kind = 0;  ///< 0: this; others begin a passage (memory/os/passage.hpp)
};
static_assert(sizeof(Greeting) == 16);

/// A stream socket that reserves a name with `bind_name`; connecting fails until `start_listening`.
[[nodiscard]] expected<Fd, SystemError> open_listener();
/// A mailbox that only means "look again": full is as good as delivered.
[[nodiscard]] expected<Fd, SystemError> open_mailbox();
/// EADDRINUSE if somebody has it: the socket can then try another name.
[[nodiscard]] expected<void, SystemError> bind_name(const Fd& socket, const std::string& name);
/// The kernel remembers who called this: that is who `Caller::ask` names.
[[nodiscard]] expected<void, SystemError> start_listening(const Fd& listener, int backlog);

/// Connects to one name after another. A socket that found nobody is used again: most names of a
/// domain are nobody's.
class Caller {
 public:
  /// Never blocks, the other side need not accept. The kernel says who listens.
  [[nodiscard]] expected<PeerCredentials, SystemError> ask(const std::string& name,
                                                           const Greeting& greeting);

 private:
  Fd fd_;
};

/// The process at the other end of a connection, as a pidfd: known also where it has no number.
/// EINVAL or ENOPROTOOPT: the kernel does not say (before Linux 6.5).
[[nodiscard]] expected<Fd, SystemError> process_behind(const Connection& connection);

struct Called {
  Connection connection;
  PeerCredentials who;
};
/// Connects to a name to stay connected; else as `Caller::ask`.
[[nodiscard]] expected<Called, SystemError> call(const std::string& name);

struct Visitor {
  PeerCredentials who;
  Greeting greeting;      ///< zeros if it said nothing
  Connection connection;  ///< nothing of it was read: the greeting is still there
};
/// The next process that connected to us; EAGAIN: none left.
[[nodiscard]] expected<Visitor, SystemError> accept_visitor(const Fd& listener);

void drain_mailbox(const Fd& mailbox);
void notify(const Fd& from, const std::string& name);

}  // namespace ligament::pool::os
