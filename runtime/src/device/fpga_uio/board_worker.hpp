// SPDX-License-Identifier: Apache-2.0
/// \file What the thread of a board does, and its endpoints of topics.
#pragma once

#include <atomic>
#include <deque>
#include <ligament/device.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "device/fpga_uio/board.hpp"
#include "device/work_thread.hpp"

namespace ligament::device::fpga_uio {

class BoardWorker final : public WorkThread {
 public:
  explicit BoardWorker(Board board) : board_(std::move(board)) {}

  /// The design of an exported folder; nothing else is on the board.
  [[nodiscard]] Result<void> load(const std::string& path);
  [[nodiscard]] bool is_loaded() const { return loaded_; }
  [[nodiscard]] std::vector<Port> ports() const;
  [[nodiscard]] Result<void> bind(pool::Domain& domain, const Binding& binding);
  [[nodiscard]] Result<void> check_bound() const;

  [[nodiscard]] bool is_lost() const { return lost_; }
  void lose() { lost_ = true; }

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
  bool work() override;
  [[nodiscard]] bool is_over() const override { return lost_; }
  void process();
  void publish(const Output& output);

  Board board_;
  bool loaded_ = false;
  std::vector<End> ends_;  ///< of streams in memory, as they are bound
  std::atomic<bool> lost_{false};
};

}  // namespace ligament::device::fpga_uio
