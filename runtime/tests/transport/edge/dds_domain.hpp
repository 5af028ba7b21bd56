// SPDX-License-Identifier: Apache-2.0
/// A DDS domain for one test: what runs beside it on this machine must not be heard.
#pragma once

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

namespace ligament::edge {

/// From 100 to 199; taken from all other processes until this one ends.
inline unsigned take_dds_domain() {
  static unsigned next = static_cast<unsigned>(::getpid());
  for (unsigned tries = 0; tries < 100; ++tries) {
    const unsigned id = 100 + next++ % 100;
    const std::string name = fmt::format("ligament-test-dds-domain-{}", id);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;  // the name begins behind a zero: it is in no folder
    std::memcpy(address.sun_path + 1, name.data(), name.size());
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    const int taken = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (::bind(taken, reinterpret_cast<const sockaddr*>(&address), size) == 0) {
      return id;
    }
    ::close(taken);
  }
  return 100 + next++ % 100;  // more tests in one process than there are domains
}

}  // namespace ligament::edge
