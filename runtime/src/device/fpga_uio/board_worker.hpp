// SPDX-License-Identifier: Apache-2.0
/// \file The thread that drives a board, and its endpoints of topics.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <ligament/device.hpp>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "device/fpga_uio/board.hpp"

namespace ligament::device::fpga_uio {

/// Shared between the device and its thread: a board that never answers keeps this, and only this,
/// alive.
class BoardWorker : public std::enable_shared_from_this<BoardWorker> {
 public:
  explicit BoardWorker(Board board) : board_(std::move(board)) {}

  /// The design of an exported folder; nothing else is on the board.
  [[nodiscard]] Result<void> load(const std::string& path);
  [[nodiscard]] bool is_loaded() const { return loaded_; }
  [[nodiscard]] std::vector<Port> ports() const;
  [[nodiscard]] Result<void> bind(pool::Domain& domain, const Binding& binding);
  [[nodiscard]] Result<void> check_bound() const;

  void start();
  void request_stop();
  /// False: a message is still being worked on at the deadline.
  [[nodiscard]] bool wait_stopped(std::chrono::steady_clock::time_point deadline);
  [[nodiscard]] bool is_lost() const { return lost_; }
  void lose() { lost_ = true; }

  [[nodiscard]] std::optional<Error> take_error();
  [[nodiscard]] std::vector<Span> take_spans();
  [[nodiscard]] Statistics statistics() const;

 private:
  struct End {
    std::size_t stream = 0;
    std::string topic;
    std::unique_ptr<pool::Reader> reader;
    std::unique_ptr<pool::Writer> writer;
    std::deque<pool::HeldSample> waiting;  ///< of an input: at most one, for the others of its set
  };

  [[nodiscard]] std::string port_name(const Stream& stream) const;
  [[nodiscard]] End* end_of(std::size_t stream);
  [[nodiscard]] bool take_set();
  void run();
  void process();
  void publish(const Output& output);
  void report(ErrorCode code, const std::string& text);

  Board board_;
  bool loaded_ = false;
  std::unique_ptr<pool::Waiter> waiter_;
  std::vector<End> ends_;  ///< of streams in memory, as they are bound
  std::atomic<bool> stop_{false};
  std::atomic<bool> lost_{false};
  std::atomic<std::uint64_t> taken_{0};
  std::atomic<std::uint64_t> published_{0};
  std::atomic<std::uint64_t> failed_{0};
  std::atomic<std::uint64_t> copies_{0};
  std::atomic<std::uint64_t> bytes_copied_{0};
  std::mutex mutex_;  ///< guards all below
  std::condition_variable stopped_;
  bool running_ = false;
  std::deque<Error> errors_;
  std::deque<Span> spans_;
};

}  // namespace ligament::device::fpga_uio
