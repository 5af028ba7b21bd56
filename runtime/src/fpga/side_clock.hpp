// SPDX-License-Identifier: Apache-2.0
/// \file A clock beside the cores': of the memory port, or of the registers
/// (spec/device/clocks.md).
#pragma once

#include <cmath>
#include <cstdint>

namespace ligament::fpga::detail {

/// Says how many of its edges come before the cores' next one. It counts in whole numbers, so that
/// nothing drifts.
class SideClock {
 public:
  SideClock(double hz, double cores_hz) : own_{millihertz(hz)}, cores_{millihertz(cores_hz)} {}

  /// All clocks have an edge now.
  void align() { due_ = 0; }
  /// From the cores' last edge to their next one.
  void advance() { due_ += own_; }
  /// Another edge comes before that one,
  [[nodiscard]] bool is_before() const { return due_ > cores_; }
  /// after this share of the cores' period;
  [[nodiscard]] double part() const {
    return static_cast<double>(own_ + cores_ - due_) / static_cast<double>(own_);
  }
  /// or one comes together with it.
  [[nodiscard]] bool is_together() const { return due_ == cores_; }
  /// It has come.
  void edge() {
    due_ -= cores_;
    ++cycle_;
  }
  /// Its edges so far.
  [[nodiscard]] std::uint64_t cycle() const { return cycle_; }
  /// Cycles of the cores that one of its own takes at most.
  [[nodiscard]] std::uint64_t cores_per_cycle() const { return (cores_ + own_ - 1) / own_; }

 private:
  static std::uint64_t millihertz(double hz) {
    return static_cast<std::uint64_t>(std::llround(hz * 1e3));
  }

  std::uint64_t own_;
  std::uint64_t cores_;
  std::uint64_t due_ = 0;  ///< of an edge per `cores_`
  std::uint64_t cycle_ = 0;
};

}  // namespace ligament::fpga::detail
