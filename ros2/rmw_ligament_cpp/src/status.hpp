// SPDX-License-Identifier: Apache-2.0
/// \file Figures of this process's nodes for `ligament top` and the report: a process that is part
/// of a run (LIGAMENT_RUN_DIR) adds status lines, as containers have them
/// (spec/run/status.schema.json), to the run's status.jsonl, one each second. Elsewhere all of this
/// does nothing. LIGAMENT_STATUS=own: the program writes its lines itself.
#pragma once

#include <atomic>
#include <cstdint>
#include <ligament/detail/pool.hpp>
#include <memory>
#include <string>

namespace rmw_ligament_cpp::status {

/// What the pool does not count, of an endpoint.
struct Counts {
  std::atomic<std::uint64_t> walks{0};   ///< messages that were serialised or deserialised
  std::atomic<std::uint64_t> bytes{0};   ///< their stored bytes
  std::atomic<std::uint64_t> failed{0};  ///< messages that were not published, or no messages
  void add(std::size_t size) {
    walks.fetch_add(1, std::memory_order_relaxed);
    bytes.fetch_add(size, std::memory_order_relaxed);
  }
};

/// Once per process, before its first node.
void begin();
/// A line now: the nodes are about to end, and their counts with them.
void tell();

/// What is told of it while the handle exists, which must go before the endpoint does. Null where
/// nothing is told.
using Shown = std::shared_ptr<void>;
[[nodiscard]] Shown show_node(const std::string& full_name);
[[nodiscard]] Shown show(const ligament::pool::Writer& writer, const Counts& counts,
                         const ligament::pool::EndpointDescription& end);
[[nodiscard]] Shown show(const ligament::pool::Reader& reader, const Counts& counts,
                         const ligament::pool::EndpointDescription& end);

}  // namespace rmw_ligament_cpp::status
