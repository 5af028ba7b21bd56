// SPDX-License-Identifier: Apache-2.0
// Clocks, pacing and the request to stop.
#pragma once

#include <cstdint>

#include "options.hpp"

namespace peer {

// CLOCK_MONOTONIC in nanoseconds.
[[nodiscard]] std::int64_t now();

// User and system time of all threads of this process, in nanoseconds.
[[nodiscard]] std::int64_t cpu();

// SIGTERM and SIGINT end the loops, so that the result is still printed.
void stop_on_signals();
[[nodiscard]] bool stopped();

void sleep_until(std::int64_t time_ns);

// Tells the processor that this is a loop that waits.
inline void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Absolute slots. A publisher that is late by a whole period counts its slots from there: no burst
// follows a stall.
class Pace {
 public:
  Pace(std::uint64_t pacing_us, Wait wait);
  void wait();

 private:
  std::int64_t period_;
  std::int64_t slot_;
  Wait wait_;
};

}  // namespace peer
