// SPDX-License-Identifier: Apache-2.0
/// \file The ROS graph elsewhere: nodes and endpoints of other participants, from
/// ros_discovery_info and discovery, as what the processes of a pool are shown (spec/wire/rmw.md,
/// section 3).
///
///   auto graph = std::make_shared<RemoteGraph>();
///   graph->take(sample_bytes, writer_gid);                    // engine's threads
///   for (auto& [description, kind] : graph->describe(participant.remote_endpoints())) { ... }
///
/// Whoever is on the network may say what they like: of what they say there is a bound, names that
/// ROS 2 does not allow are passed over, and nobody speaks for another participant.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ligament/detail/pool.hpp>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "transport/dds/participant.hpp"
#include "transport/edge/graph_info.hpp"

namespace ligament::edge {

inline constexpr std::size_t most_info_bytes = std::size_t{1} << 18;
inline constexpr std::size_t most_remote_participants = 512;
inline constexpr std::size_t most_remote_nodes = 512;  ///< in all
inline constexpr std::size_t most_shown_endpoints = 4096;

/// An endpoint that is elsewhere, in the form of `pool::Domain::show`.
struct Shown {
  pool::EndpointDescription description;
  pool::EndpointKind kind = pool::EndpointKind::reader;
};

class RemoteGraph {
 public:
  /// A sample of ros_discovery_info. False: it says nothing that can be used.
  bool take(std::span<const std::byte> stored, const Gid& writer);
  /// Another number after each sample that was taken.
  [[nodiscard]] std::uint64_t version() const;
  /// What there is, given the endpoints of others. Participants that have none are forgotten.
  [[nodiscard]] std::vector<Shown> describe(const std::vector<dds::RemoteEndpoint>& remote);

 private:
  struct Told {
    GraphInfo info;
    bool is_known = false;  ///< its endpoints have been seen; when they are gone, it is
  };
  void forget_gone(const std::vector<dds::RemoteEndpoint>& remote);

  mutable std::mutex mutex_;
  std::map<Gid, Told> participants_;
  std::uint64_t version_ = 0;
};

}  // namespace ligament::edge
