// SPDX-License-Identifier: Apache-2.0
/// \file The pace of a design's memory, and what is said to it of a message.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <ligament/fpga_design.hpp>
#include <random>

namespace ligament::fpga::detail {

inline constexpr std::size_t beat_bytes = 8;

/// What all ends share: so many bytes per cycle, none before the latency is over. All cycles are of
/// the port's clock.
class MemoryPort {
 public:
  explicit MemoryPort(const Memory& memory);

  [[nodiscard]] std::uint64_t latency() const { return latency_cycles_; }
  [[nodiscard]] double bytes_per_cycle() const { return bytes_per_cycle_; }
  /// A doorbell: the first byte comes a latency later. What others take from then on is drawn by
  /// chance from the seed and the message, so that it does not matter what went in before.
  void ring(std::uint64_t cycle, std::uint64_t message);
  /// A cycle has come.
  void advance(std::uint64_t cycle);
  /// Whether a beat may move in this cycle.
  [[nodiscard]] bool gives(std::size_t bytes = beat_bytes) const {
    return credit_ >= static_cast<double>(bytes);
  }
  /// Whether a write goes before a read in this cycle: they take turns, counted from the doorbell.
  [[nodiscard]] bool prefers_writes(std::uint64_t cycle) const {
    return (cycle - ready_at_) % 2 != 0;
  }
  void move(std::size_t bytes = beat_bytes) { credit_ -= static_cast<double>(bytes); }

 private:
  /// What it can catch up after a pause: a line of memory.
  static constexpr double burst_bytes = 64;

  [[nodiscard]] double take_load();

  double bytes_per_cycle_;
  std::uint64_t latency_cycles_;
  std::uint64_t ready_at_ = 0;
  double credit_ = 0;
  double contention_;
  double load_ = 0;  ///< what others ask for and have not got
  std::uint64_t seed_;
  std::mt19937_64 chance_;
};

/// The two words of a frame's header (spec/wire/stream.md). The body begins at the last boundary of
/// memory that is not behind the message.
[[nodiscard]] std::array<std::uint64_t, 2> frame_header(const Arrival& arrival, std::uint8_t topic);
/// Bytes between that boundary and the message.
[[nodiscard]] std::size_t pad_of(const Arrival& arrival);

}  // namespace ligament::fpga::detail
