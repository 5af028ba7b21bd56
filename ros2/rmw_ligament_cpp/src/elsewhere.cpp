// SPDX-License-Identifier: Apache-2.0
#include "elsewhere.hpp"

#include <charconv>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace rmw_ligament_cpp {

namespace {

namespace pool = ligament::pool;

/// 32 hexadecimal digits; nothing for anything else.
std::optional<pool::Gid> gid_of(std::string_view text) {
  pool::Gid gid{};
  if (text.size() != 2 * gid.size()) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < gid.size(); ++i) {
    const char* first = text.data() + 2 * i;
    if (std::from_chars(first, first + 2, gid[i], 16).ptr != first + 2) {
      return std::nullopt;
    }
  }
  return gid;
}

/// `/node@0123...`, which another process has written.
void translate(pool::EndpointInfo& endpoint) {
  auto& description = endpoint.description;
  description.topic.erase(0, 1);
  if (description.topic.empty()) {
    description.topic = std::string(pool::graph_topic);
    return;
  }
  const auto at = description.node.find('@');
  if (at != std::string::npos) {
    const auto gid = gid_of(std::string_view(description.node).substr(at + 1));
    endpoint.gid = gid.value_or(endpoint.gid);
    description.node.erase(at);
  }
}

using Side = std::pair<pool::EndpointKind, std::string>;

}  // namespace

std::vector<pool::EndpointInfo> with_elsewhere(std::vector<pool::EndpointInfo> endpoints) {
  std::set<Side> shown;
  for (auto& endpoint : endpoints) {
    if (endpoint.description.topic.starts_with(pool::elsewhere_prefix)) {
      translate(endpoint);
      shown.emplace(endpoint.kind, endpoint.description.topic);
    }
  }
  std::erase_if(endpoints, [&shown](const pool::EndpointInfo& endpoint) {
    return endpoint.description.node == edge_node &&
           shown.contains({endpoint.kind, endpoint.description.topic});
  });
  return endpoints;
}

}  // namespace rmw_ligament_cpp
