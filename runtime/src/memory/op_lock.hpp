// SPDX-License-Identifier: Apache-2.0
/// \file The lock inside one endpoint of one process. Never shared between processes, so a stopped
/// or killed peer cannot hold it.
///
/// Taking it costs one exchange on a line that is almost always our own (5 ns), releasing it a
/// plain store. It guards a few dozen instructions: the waiting side spins, then yields, then
/// sleeps, so that a thread of high priority does not starve the one it waits for.
#pragma once

#include <sched.h>

#include <atomic>
#include <ctime>

#include "memory/os/system.hpp"

namespace ligament::pool {

/// How to wait for a thread that needs a few dozen instructions more.
class Patience {
 public:
  void wait_a_little() {
    if (tries_ < 64) {
      os::cpu_relax();
    } else if (tries_ < 80) {
      sched_yield();
    } else {
      os::counters().lock_sleeps.fetch_add(1, std::memory_order_relaxed);
      const timespec nap{0, 50'000};
      nanosleep(&nap, nullptr);
    }
    ++tries_;
  }

 private:
  unsigned tries_ = 0;
};

class OpLock {
 public:
  void lock() {
    // Acquire pairs with the release in unlock(): what the last holder did is visible.
    if (held_.exchange(1, std::memory_order_acquire) != 0) {
      wait();
    }
  }
  void unlock() { held_.store(0, std::memory_order_release); }

 private:
  void wait() {
    Patience patience;
    while (held_.exchange(1, std::memory_order_acquire) != 0) {
      patience.wait_a_little();
    }
  }

  std::atomic<unsigned> held_{0};
};

}  // namespace ligament::pool
