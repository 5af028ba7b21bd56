// SPDX-License-Identifier: Apache-2.0
#include "clock.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <ctime>

namespace peer {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

std::atomic<bool> stop{false};

void on_signal(int) { stop.store(true, std::memory_order_relaxed); }

std::int64_t read(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return time.tv_sec * kSecond + time.tv_nsec;
}

}  // namespace

std::int64_t now() { return read(CLOCK_MONOTONIC); }

std::int64_t cpu() { return read(CLOCK_PROCESS_CPUTIME_ID); }

void stop_on_signals() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  for (const int signal : {SIGTERM, SIGINT}) sigaction(signal, &action, nullptr);
}

bool stopped() { return stop.load(std::memory_order_relaxed); }

void sleep_until(std::int64_t time_ns) {
  const timespec until{.tv_sec = time_ns / kSecond, .tv_nsec = time_ns % kSecond};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR && !stopped()) {
  }
}

Pace::Pace(std::uint64_t pacing_us, Wait wait)
    : period_(static_cast<std::int64_t>(pacing_us) * 1000), slot_(now()), wait_(wait) {}

void Pace::wait() {
  if (period_ == 0) return;
  slot_ += period_;
  if (const std::int64_t time = now(); time >= slot_ + period_) slot_ = time;
  if (wait_ == Wait::sleep) return sleep_until(slot_);
  while (now() < slot_ && !stopped()) relax();
}

}  // namespace peer
