// SPDX-License-Identifier: Apache-2.0
#include "waits.hpp"

#include <algorithm>
#include <chrono>

namespace rmw_ligament_cpp {

bool Waits::wait(const std::function<bool()>& is_ready, std::int64_t deadline_ns,
                 const std::function<bool()>& claim) {
  using Clock = std::chrono::steady_clock;  // CLOCK_MONOTONIC
  const Clock::time_point deadline{std::chrono::nanoseconds(deadline_ns)};
  Sleeper self{is_ready, false, {}};
  std::unique_lock lock(mutex_);
  sleepers_.push_back(&self);
  while (!is_ready() && ligament::pool::monotonic_now_ns() < deadline_ns) {
    if (!has_leader_) {
      lead(self, lock, deadline_ns);
    } else if (deadline_ns == ligament::pool::no_deadline) {
      self.woken.wait(lock);
    } else {
      self.woken.wait_until(lock, deadline);
    }
    self.is_served = false;
  }
  std::erase(sleepers_, &self);
  if (!has_leader_ && !sleepers_.empty()) {
    sleepers_.front()->woken.notify_one();  // somebody must lead
  }
  return claim();
}

/// Sleeps for all, until somebody is ready.
void Waits::lead(Sleeper& self, std::unique_lock<std::mutex>& lock, std::int64_t deadline_ns) {
  has_leader_ = true;
  lock.unlock();
  waiter_->wait_for(
      [this, &self] {
        const std::lock_guard guard(mutex_);
        return serve() || self.is_served;
      },
      deadline_ns);
  lock.lock();
  has_leader_ = false;
}

/// Under mutex_. Who has been served and not woken yet is not asked again: the leader would not
/// sleep until then.
bool Waits::serve() {
  bool any = false;
  for (Sleeper* sleeper : sleepers_) {
    if (!sleeper->is_served && sleeper->is_ready()) {
      sleeper->is_served = true;
      sleeper->woken.notify_one();
      any = true;
    }
  }
  return any;
}

}  // namespace rmw_ligament_cpp
