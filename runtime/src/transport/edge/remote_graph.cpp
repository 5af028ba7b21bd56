// SPDX-License-Identifier: Apache-2.0
#include "transport/edge/remote_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ligament/names.hpp>
#include <set>

#include "memory/layout.hpp"
#include "transport/dds/names.hpp"

namespace ligament::edge {

namespace {

constexpr std::size_t prefix_bytes = 12;   // of a gid: its participant's
constexpr std::size_t longest_text = 127;  // of nodes and types in the pool
constexpr std::size_t longest_topic = 255;

bool is_of(const Gid& entity, const Gid& participant) {
  return std::equal(entity.begin(), entity.begin() + prefix_bytes, participant.begin());
}

/// Empty where it is no name that ROS 2 allows, or longer than the pool has room for.
std::string full_name(const NodeInfo& node) {
  if (!validate_node_name(node.name) || !validate_namespace(node.name_space)) {
    return {};
  }
  std::string name = (node.name_space == "/" ? "" : node.name_space) + "/" + node.name;
  return name.size() <= longest_text ? name : std::string();
}

/// `/ns/name@0123...`: whose it is, and its gid in DDS. Without the gid where both are too long.
std::string owner(const std::string& node, const Gid& gid) {
  const std::string text = fmt::format("{}@{:02x}", node, fmt::join(gid, ""));
  return text.size() <= longest_text ? text : node;
}

Shown marker(const std::string& node) {
  Shown shown;
  shown.description.topic = pool::elsewhere_prefix;
  shown.description.type_name = "/";  // the enclave, which is not told
  shown.description.node = node;
  return shown;
}

Shown shown_end(const dds::RemoteEndpoint& remote, const std::string& node) {
  Shown shown;
  shown.kind = remote.is_writer ? pool::EndpointKind::writer : pool::EndpointKind::reader;
  shown.description.topic =
      pool::elsewhere_prefix + dds::topic_from_dds(remote.topic).value_or(remote.topic);
  shown.description.type_name = dds::type_from_dds(remote.type).value_or(remote.type);
  shown.description.node = owner(node, remote.gid);
  shown.description.type_hash = dds::hash_in_user_data(remote.user_data).value_or(dds::TypeHash{});
  shown.description.qos = remote.qos;
  shown.description.qos.depth = std::clamp<std::uint32_t>(
      remote.qos.depth, 1, static_cast<std::uint32_t>(pool::layout::max_ring));
  shown.description.qos.max_held = 1;
  return shown;
}

bool has_room(const pool::EndpointDescription& description) {
  return description.topic.size() <= longest_topic && description.type_name.size() <= longest_text;
}

}  // namespace

bool RemoteGraph::take(std::span<const std::byte> stored, const Gid& writer) {
  auto info = decode(stored);
  if (!info || !is_of(writer, info->participant) || info->nodes.size() > most_remote_nodes) {
    return false;
  }
  const std::lock_guard guard(mutex_);
  if (participants_.size() >= most_remote_participants &&
      !participants_.contains(info->participant)) {
    // Of those whose endpoints were never seen, which may be nobody, one makes room.
    const auto unknown = std::find_if(participants_.begin(), participants_.end(),
                                      [](const auto& entry) { return !entry.second.is_known; });
    if (unknown == participants_.end()) {
      return false;
    }
    participants_.erase(unknown);
  }
  const Gid participant = info->participant;
  participants_[participant].info = std::move(*info);
  ++version_;
  return true;
}

std::uint64_t RemoteGraph::version() const {
  const std::lock_guard guard(mutex_);
  return version_;
}

/// Under mutex_. A sample may come before its participant's endpoints are known: it waits for them.
void RemoteGraph::forget_gone(const std::vector<dds::RemoteEndpoint>& remote) {
  std::set<Gid> present;
  for (const auto& endpoint : remote) {
    present.insert(endpoint.participant);
  }
  for (auto entry = participants_.begin(); entry != participants_.end();) {
    Told& told = entry->second;
    const bool is_present = present.contains(entry->first);
    const bool is_gone = told.is_known && !is_present;
    told.is_known = is_present;
    entry = is_gone ? participants_.erase(entry) : std::next(entry);
  }
}

std::vector<Shown> RemoteGraph::describe(const std::vector<dds::RemoteEndpoint>& remote) {
  std::vector<Shown> all;
  std::map<Gid, std::string> node_of;
  {
    const std::lock_guard guard(mutex_);
    forget_gone(remote);
    for (const auto& [participant, told] : participants_) {
      for (const NodeInfo& node : told.info.nodes) {
        const std::string name = told.is_known ? full_name(node) : std::string();
        if (name.empty() || all.size() >= most_remote_nodes) {
          continue;
        }
        all.push_back(marker(name));
        for (const auto* ends : {&node.readers, &node.writers}) {
          for (const Gid& end : *ends) {
            if (is_of(end, participant)) {
              node_of.emplace(end, name);
            }
          }
        }
      }
    }
  }
  std::size_t ends = 0;
  for (const auto& endpoint : remote) {
    if (endpoint.topic == graph_info_topic) {
      continue;
    }
    const auto node = node_of.find(endpoint.gid);
    Shown shown = shown_end(endpoint, node == node_of.end() ? std::string() : node->second);
    if (has_room(shown.description) && ends++ < most_shown_endpoints) {
      all.push_back(std::move(shown));
    }
  }
  return all;
}

}  // namespace ligament::edge
