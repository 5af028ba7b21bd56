// SPDX-License-Identifier: Apache-2.0
/// \file The abstract socket by which the edge of a ROS domain is known to be there
/// (spec/wire/rmw.md, section 2).
#pragma once

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string>

namespace ligament::detail {

/// One per user, domain and pid namespace: processes of another namespace (a container) cannot
/// share this one's pool, so their own edge has to find ours by DDS.
inline std::string edge_socket_name(const std::string& domain) {
  struct stat space {};
  const bool is_known = ::stat("/proc/self/ns/pid", &space) == 0;
  return "ligament/edge/" + std::to_string(::geteuid()) + "/" + domain + "/" +
         std::to_string(is_known ? space.st_ino : 0);
}

/// Somebody listens on its name, who never answers; also where that cannot be found out.
inline bool edge_is_there(const std::string& domain) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = edge_socket_name(domain);
  const std::size_t size = std::min(name.size(), sizeof address.sun_path - 1);
  std::memcpy(address.sun_path + 1, name.data(), size);
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + size);
  const int result = ::connect(fd, reinterpret_cast<const sockaddr*>(&address), length);
  const bool is_refused = result != 0 && errno == ECONNREFUSED;
  ::close(fd);
  return !is_refused;
}

}  // namespace ligament::detail
