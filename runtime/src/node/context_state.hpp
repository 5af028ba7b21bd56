// SPDX-License-Identifier: Apache-2.0
/// \file What a context shares between its nodes and its executor.
#pragma once

#include <atomic>
#include <cstdint>
#include <ligament/context.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace ligament::detail {

struct ContextState {
  std::shared_ptr<pool::Domain> domain;
  std::unique_ptr<pool::Waiter> waiter;
  /// Release/acquire: what was written before the request is seen by the executor that stops.
  std::atomic<bool> stop{false};
  /// Counts changes of the nodes' subscriptions and timers, so that the executor's list is rebuilt.
  /// Release by the change, acquire by the executor.
  std::atomic<std::uint64_t> sources_version{1};
  std::atomic<bool> has_executor{false};
  /// By topic: how long a keep-all publisher waits for a subscription that does not move, where
  /// that is not the pool's own time: it may be of a simulated device, and who works is spared.
  /// The same for requests to servers, by service. Written before nodes are made that need them.
  std::mutex patience_mutex;  ///< guards both
  std::map<std::string, std::int64_t> patience_ns;
  std::map<std::string, std::int64_t> service_patience_ns;
  /// Nodes that this thread makes take the places of others that still run (spec/run/moving.md):
  /// their subscriptions rest and their publishers succeed. Other threads may make nodes meanwhile.
  std::atomic<std::thread::id> taker;
  [[nodiscard]] bool takes_over() const { return taker == std::this_thread::get_id(); }
  std::mutex observer_mutex;
  ContextObserver* observer = nullptr;

  /// What `found` has of that name.
  [[nodiscard]] std::optional<std::int64_t> patience_in(
      const std::map<std::string, std::int64_t>& found, const std::string& name) {
    const std::lock_guard lock(patience_mutex);
    const auto entry = found.find(name);
    return entry == found.end() ? std::nullopt : std::optional(entry->second);
  }
  void sources_changed() {
    sources_version.fetch_add(1, std::memory_order_release);
    waiter->wake();
  }
};

}  // namespace ligament::detail
