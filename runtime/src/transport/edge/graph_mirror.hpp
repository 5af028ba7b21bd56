// SPDX-License-Identifier: Apache-2.0
/// \file Shows the processes of a ROS domain's pool what is in the ROS graph elsewhere.
#pragma once

#include <functional>
#include <ligament/detail/pool.hpp>
#include <ligament/expected.hpp>
#include <map>
#include <memory>
#include <string>

#include "transport/dds/participant.hpp"
#include "transport/edge/remote_graph.hpp"

namespace ligament::edge {

class GraphMirror {
 public:
  /// `on_change`, from the engine's threads: `settle` has something to do.
  [[nodiscard]] static expected<std::unique_ptr<GraphMirror>, dds::Error> create(
      dds::Participant& participant, std::shared_ptr<pool::Domain> domain,
      std::function<void()> on_change);

  /// Makes what is shown equal to what there is. Cheap where nothing has changed.
  void settle();

 private:
  GraphMirror(dds::Participant& participant, std::shared_ptr<pool::Domain> domain)
      : participant_(participant), domain_(std::move(domain)) {}

  dds::Participant& participant_;
  std::shared_ptr<pool::Domain> domain_;
  std::shared_ptr<RemoteGraph> graph_ = std::make_shared<RemoteGraph>();
  std::unique_ptr<dds::Reader> reader_;
  std::uint64_t seen_remote_ = 0;
  std::uint64_t seen_told_ = 0;
  /// By all that is shown of it; equal ones (two nodes of one name) stand more than once.
  std::multimap<std::string, std::shared_ptr<void>> shown_;
};

}  // namespace ligament::edge
