// SPDX-License-Identifier: Apache-2.0
/// \file What all back-ends' workers have: a thread that can be left to a program that never
/// returns, and what it tells of its work.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <ligament/device.hpp>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace ligament::device {

/// CLOCK_MONOTONIC_RAW in nanoseconds.
[[nodiscard]] std::uint64_t device_ticks();

/// Shared between a device and its thread: a program that never returns keeps this, and only this,
/// alive.
class WorkThread : public std::enable_shared_from_this<WorkThread> {
 public:
  virtual ~WorkThread() = default;
  WorkThread(const WorkThread&) = delete;
  WorkThread& operator=(const WorkThread&) = delete;

  void start();
  void request_stop();
  /// False: a message is still being worked on at the deadline.
  [[nodiscard]] bool wait_stopped(std::chrono::steady_clock::time_point deadline);

  [[nodiscard]] std::optional<Error> take_error();
  void take_spans(std::vector<Span>& out);
  [[nodiscard]] Statistics statistics() const;

 protected:
  WorkThread() = default;

  /// Takes what has come and works on it; false: nothing was there.
  virtual bool work() = 0;
  /// Whether there is nothing more to wait for.
  [[nodiscard]] virtual bool is_over() const { return false; }

  /// The waiter that wakes the thread, made when it is asked for first.
  [[nodiscard]] Result<pool::Waiter*> waiter(pool::Domain& domain);
  void keep(const Span& span);
  /// A message that failed, and why.
  void report(ErrorCode code, std::string text);

  std::atomic<std::uint64_t> taken_{0};
  std::atomic<std::uint64_t> published_{0};
  std::atomic<std::uint64_t> copies_{0};
  std::atomic<std::uint64_t> bytes_copied_{0};

 private:
  void run();

  std::unique_ptr<pool::Waiter> waiter_;
  std::atomic<bool> stop_{false};
  std::atomic<std::uint64_t> failed_{0};
  std::mutex mutex_;  ///< guards all below
  std::condition_variable stopped_;
  bool running_ = false;
  std::deque<Error> errors_;
  std::deque<Span> spans_;
};

}  // namespace ligament::device
