// SPDX-License-Identifier: Apache-2.0
/// \file Clocks, and how a publisher waits for its next slot.
#pragma once

#include <cerrno>
#include <cstdint>
#include <ctime>

#include "options.hpp"

namespace ligament::bench {

inline std::int64_t read_clock(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}
inline std::int64_t now_ns() { return read_clock(CLOCK_MONOTONIC); }
/// User and system time of this process.
inline std::int64_t cpu_now_ns() { return read_clock(CLOCK_PROCESS_CPUTIME_ID); }

inline void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

inline void sleep_until(std::int64_t time_ns) {
  const timespec until{time_ns / 1'000'000'000, time_ns % 1'000'000'000};
  while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
  }
}

/// A grid of time; a slot that was missed by more than a period is not made up for in a burst.
class Pacer {
 public:
  explicit Pacer(const Options& options)
      : period_ns_(options.pacing_us * 1000), spins_(options.wait != Wait::sleep) {
    next_ns_ = now_ns() + period_ns_;
  }
  void wait() {
    if (period_ns_ == 0) {
      return;
    }
    if (!spins_) {
      sleep_until(next_ns_);
    }
    std::int64_t now = now_ns();
    while (now < next_ns_) {
      relax();
      now = now_ns();
    }
    next_ns_ = now < next_ns_ + period_ns_ ? next_ns_ + period_ns_ : now + period_ns_;
  }

 private:
  std::int64_t period_ns_;
  std::int64_t next_ns_;
  bool spins_;
};

}  // namespace ligament::bench
