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

#include "ligament/detail/pool.hpp"

namespace ligament::detail {

/// How it is to connect to a name: 0, or errno.
inline int try_to_connect(const std::string& name) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::size_t size = std::min(name.size(), sizeof address.sun_path - 1);
  std::memcpy(address.sun_path + 1, name.data(), size);
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + size);
  const int result = ::connect(fd, reinterpret_cast<const sockaddr*>(&address), length);
  const int error = result == 0 ? 0 : errno;
  ::close(fd);
  return error;
}

/// One per user and domain, since processes of all pid namespaces (containers) share the pool
/// (spec/wire/pid-namespaces.md). Whoever cannot, because of the kernel or a security module, has
/// one per namespace, which finds the other by DDS.
inline std::string edge_socket_name(const std::string& domain) {
  const std::string shared = "ligament/edge/" + std::to_string(::geteuid()) + "/" + domain;
  const int error = try_to_connect(shared);
  if (pool::can_meet_foreign_processes() && error != EACCES && error != EPERM) {
    return shared;
  }
  struct stat space {};
  const bool is_known = ::stat("/proc/self/ns/pid", &space) == 0;
  return shared + "/" + std::to_string(is_known ? space.st_ino : 0);
}

/// Somebody listens on its name, who never answers; also where that cannot be found out.
inline bool edge_is_there(const std::string& domain) {
  return try_to_connect(edge_socket_name(domain)) != ECONNREFUSED;
}

}  // namespace ligament::detail
