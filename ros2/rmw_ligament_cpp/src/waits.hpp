// SPDX-License-Identifier: Apache-2.0
/// \file Waiting threads of one context. All sleep for one word of the pool: one thread (the
/// leader) on the word itself, the others behind it, since most contexts have one executor.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <ligament/detail/pool.hpp>
#include <memory>
#include <mutex>
#include <vector>

namespace rmw_ligament_cpp {

class Waits {
 public:
  explicit Waits(std::unique_ptr<ligament::pool::Waiter> waiter) : waiter_(std::move(waiter)) {}

  /// Sleeps until `is_ready` or the deadline (CLOCK_MONOTONIC, ns); returns what it said last. It
  /// is also called by other waiting threads, never by two at once.
  bool wait(const std::function<bool()>& is_ready, std::int64_t deadline_ns) {
    return wait(is_ready, deadline_ns, is_ready);
  }
  /// The same, and `claim` is called at the end, whose answer it returns: before another thread
  /// looks whether it is ready, so that of two which wait for one trigger the second goes on
  /// waiting.
  bool wait(const std::function<bool()>& is_ready, std::int64_t deadline_ns,
            const std::function<bool()>& claim);
  /// Something that no reader or event tells of has changed: all look again.
  void wake() { waiter_->wake(); }
  [[nodiscard]] ligament::pool::Waiter& waiter() { return *waiter_; }

 private:
  struct Sleeper {
    const std::function<bool()>& is_ready;
    bool is_served = false;  ///< found ready; it has not woken yet
    std::condition_variable woken;
  };
  void lead(Sleeper& self, std::unique_lock<std::mutex>& lock, std::int64_t deadline_ns);
  [[nodiscard]] bool serve();

  const std::unique_ptr<ligament::pool::Waiter> waiter_;
  std::mutex mutex_;
  std::vector<Sleeper*> sleepers_;
  bool has_leader_ = false;
};

}  // namespace rmw_ligament_cpp
