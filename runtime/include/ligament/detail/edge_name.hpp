// SPDX-License-Identifier: Apache-2.0
/// \file The abstract socket by which the edge of a ROS domain is known to be there
/// (spec/wire/rmw.md, section 2).
#pragma once

#include <sys/stat.h>
#include <unistd.h>

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

}  // namespace ligament::detail
