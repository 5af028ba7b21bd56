// SPDX-License-Identifier: Apache-2.0
/// \file Events of an endpoint: statuses that housekeeping or the data path changes, and a flag
/// that costs whoever asks one relaxed load.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "ligament/detail/pool.hpp"

namespace ligament::pool {

/// "Something has changed since you last looked." Wakes the executor once until it looks.
class EventFlag {
 public:
  /// Before the endpoint is announced; null: nobody is woken.
  void attach(std::shared_ptr<WaiterState> waiter) { waiter_ = std::move(waiter); }
  void raise();
  [[nodiscard]] bool is_raised() const { return raised_.load(std::memory_order_relaxed); }
  /// Before the statuses are read: what changes from now on raises it again.
  void lower() { raised_.exchange(false, std::memory_order_acq_rel); }

 private:
  std::atomic<bool> raised_{false};
  std::shared_ptr<WaiterState> waiter_;
};

inline void add(CountStatus& status, std::uint64_t n) {
  status.total += n;
  status.change += n;
}
inline void add(IncompatibleQosStatus& status, QosPolicyKind policy) {
  ++status.total;
  ++status.change;
  status.last_policy = policy;
}
/// `by`: 1 or -1.
inline void add(MatchedStatus& status, std::int64_t by) {
  if (by > 0) {
    ++status.total;
    ++status.total_change;
  }
  status.current += static_cast<std::uint64_t>(by);
  status.current_change += by;
}
inline void add(LivelinessChangedStatus& status, std::int64_t alive, std::int64_t not_alive) {
  status.alive += static_cast<std::uint64_t>(alive);
  status.alive_change += alive;
  status.not_alive += static_cast<std::uint64_t>(not_alive);
  status.not_alive_change += not_alive;
}

void forget_changes(WriterEvents& events);
void forget_changes(ReaderEvents& events);

template <typename Events>
class EventLog {
 public:
  EventFlag flag;

  /// The flag goes up and down under the lock: else who takes a change before its flag is up would
  /// be called once more, for nothing.
  template <typename Change>
  void note(const Change& change) {
    const std::lock_guard guard(mutex_);
    change(events_);
    flag.raise();
  }
  [[nodiscard]] Events take() {
    const std::lock_guard guard(mutex_);
    flag.lower();
    Events taken = events_;
    forget_changes(events_);
    return taken;
  }
  [[nodiscard]] Events peek() const {
    const std::lock_guard guard(mutex_);
    return events_;
  }

 private:
  mutable std::mutex mutex_;
  Events events_;
};

}  // namespace ligament::pool
