// SPDX-License-Identifier: Apache-2.0
/// \file What a context shares between its nodes and its executor.
#pragma once

#include <atomic>
#include <cstdint>
#include <ligament/context.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <string>

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
  /// Written before nodes are made, as the same for requests to servers, by service.
  std::map<std::string, std::int64_t> patience_ns;
  std::map<std::string, std::int64_t> service_patience_ns;
  /// Its nodes take the places of others that still run (spec/run/moving.md): their subscriptions
  /// rest and their publishers succeed. Written before nodes are made.
  bool takes_over = false;
  std::mutex observer_mutex;
  ContextObserver* observer = nullptr;

  void sources_changed() {
    sources_version.fetch_add(1, std::memory_order_release);
    waiter->wake();
  }
};

}  // namespace ligament::detail
