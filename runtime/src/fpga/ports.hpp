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

/// Seen from the design.
enum class Way : std::uint8_t { read, write };

/// What all ends share: so many bytes per cycle, none before the latency is over. Reads and writes
/// share them, or have as many each (`Memory::duplex`). All cycles are of the port's clock.
class MemoryPort {
 public:
  explicit MemoryPort(const Memory& memory);

  [[nodiscard]] std::uint64_t latency() const { return latency_cycles_; }
  /// Both ways together; of a duplex one each.
  [[nodiscard]] double bytes_per_cycle() const { return bytes_per_cycle_; }
  /// A doorbell: the first byte comes a latency later. What others take from then on is drawn by
  /// chance from the seed and the message, so that it does not matter what went in before.
  void ring(std::uint64_t cycle, std::uint64_t message);
  /// A cycle has come.
  void advance(std::uint64_t cycle);
  /// Whether a beat may move in this cycle.
  [[nodiscard]] bool gives(Way way, std::size_t bytes = beat_bytes) const {
    return lanes_[lane_of(way)].credit >= static_cast<double>(bytes);
  }
  /// Whether a write goes before a read in this cycle: where they share what there is they take
  /// turns, counted from the doorbell.
  [[nodiscard]] bool prefers_writes(std::uint64_t cycle) const {
    return !duplex_ && (cycle - ready_at_) % 2 != 0;
  }
  void move(Way way, std::size_t bytes = beat_bytes) {
    lanes_[lane_of(way)].credit -= static_cast<double>(bytes);
  }

 private:
  /// What it can catch up after a pause: a line of memory.
  static constexpr double burst_bytes = 64;

  /// Of both ways, or of each.
  struct Lane {
    double credit = 0;
    double load = 0;  ///< what others ask for and have not got
  };

  [[nodiscard]] std::size_t lane_of(Way way) const {
    return static_cast<std::size_t>(duplex_ && way == Way::write);
  }
  [[nodiscard]] double take_load(Lane& lane);

  double bytes_per_cycle_;
  std::uint64_t latency_cycles_;
  std::uint64_t ready_at_ = 0;
  bool duplex_;
  std::array<Lane, 2> lanes_{};  ///< without duplex the second one is not asked
  double contention_;
  std::uint64_t seed_;
  std::mt19937_64 chance_;
};

/// The two words of a frame's header (spec/wire/stream.md). The body begins at the last boundary of
/// memory that is not behind the message.
[[nodiscard]] std::array<std::uint64_t, 2> frame_header(const Arrival& arrival, std::uint8_t topic);
/// Bytes between that boundary and the message.
[[nodiscard]] std::size_t pad_of(const Arrival& arrival);

}  // namespace ligament::fpga::detail
