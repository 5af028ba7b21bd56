// SPDX-License-Identifier: Apache-2.0
/// \file Stopping at labelled steps (memory/crash_point.hpp), for tests and for `pool_peer`.
///
/// The bounds that hide a lost wake-up or notice are taken away, so that such a loss is a hang.
#pragma once

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <set>
#include <string>
#include <thread>

#include "memory/crash_point.hpp"

namespace ligament::pool::test {

/// Longer than the watchdog of `eventually`, and short enough that a failed test still ends.
inline void take_the_safety_nets_away() {
  longest_sleep_ns = 120'000'000'000;
  settle_ns = 120'000'000'000;
  rescan_ms = 120'000;
  linger_ns = 2'000'000'000;  // no more: readers that are stopped never map
}

/// As programs have them: for tests that count on a bound, in a process that has taken it away.
inline void put_the_safety_nets_back() {
  longest_sleep_ns = 1'000'000'000;
  settle_ns = 2'000'000'000;
  rescan_ms = 5000;
  linger_ns = 200'000'000;
}

enum class AtStep { die, stop, hold };

/// What the next thread that reaches a step does. One step at a time, once; arming the next lets
/// go of a thread that is held.
class Step {
 public:
  static void arm(const std::string& label, AtStep action) {
    static auto* labels =
        new std::set<std::string>();  // a thread may still compare with an old one
    label_ = labels->insert(label).first->c_str();
    action_ = action;
    reached_ = false;
    armed_ = true;
    crash_hook = reach;
    let_go();
  }
  static void let_go() { ++releases_; }
  [[nodiscard]] static bool is_reached() { return reached_; }

 private:
  static void reach(const char* label) {
    if (std::strcmp(label, label_) != 0 || !armed_.exchange(false)) {
      return;
    }
    const unsigned releases = releases_;
    reached_ = true;
    if (action_ != AtStep::hold) {
      ::kill(::getpid(), action_ == AtStep::die ? SIGKILL : SIGSTOP);
      return;
    }
    while (releases_ == releases) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  inline static std::atomic<const char*> label_{""};
  inline static std::atomic<AtStep> action_{AtStep::hold};
  inline static std::atomic<bool> armed_{false};
  inline static std::atomic<bool> reached_{false};
  inline static std::atomic<unsigned> releases_{0};
};

}  // namespace ligament::pool::test
