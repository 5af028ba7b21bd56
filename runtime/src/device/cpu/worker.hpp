// SPDX-License-Identifier: Apache-2.0
/// \file One program of the CPU device: its ports, and the thread that runs it.
#pragma once

#include <ligament/device_program.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <ligament/device.hpp>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "device/failure.hpp"

namespace ligament::device {

/// CLOCK_MONOTONIC_RAW in nanoseconds.
[[nodiscard]] std::uint64_t device_ticks();

/// Shared between the device and its thread: a program that never returns keeps this, and only
/// this, alive.
class Worker : public std::enable_shared_from_this<Worker> {
 public:
  Worker(ProgramId id, std::string path, const ligament_program_t& program)
      : id_(id), path_(std::move(path)), program_(program) {}

  [[nodiscard]] std::vector<Port> ports() const;
  [[nodiscard]] Result<void> bind(pool::Domain& domain, const Binding& binding);
  [[nodiscard]] Result<void> check_bound() const;

  void start();
  void request_stop();
  /// False: the program still runs at the deadline.
  [[nodiscard]] bool wait_stopped(std::chrono::steady_clock::time_point deadline);

  [[nodiscard]] std::optional<Error> take_error();
  void take_spans(std::vector<Span>& out);
  void add_statistics(Statistics& sum) const;

 private:
  void run();
  void process(pool::HeldSample sample);
  void report(ErrorCode code, const std::string& why);

  ProgramId id_;
  std::string path_;
  const ligament_program_t& program_;
  std::unique_ptr<pool::Waiter> waiter_;
  std::unique_ptr<pool::Reader> reader_;
  std::unique_ptr<pool::Writer> writer_;
  std::string input_topic_;
  std::string output_topic_;
  std::atomic<bool> stop_{false};
  std::atomic<std::uint64_t> taken_{0};
  std::atomic<std::uint64_t> published_{0};
  std::atomic<std::uint64_t> failed_{0};
  std::mutex mutex_;  ///< guards all below
  std::condition_variable stopped_;
  bool running_ = false;
  std::deque<Error> errors_;
  std::deque<Span> spans_;
};

}  // namespace ligament::device
