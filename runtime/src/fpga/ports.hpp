// SPDX-License-Identifier: Apache-2.0
/// \file The two ends of a design on the pool's memory: what sends frames in, what takes them out.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <ligament/fpga_design.hpp>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace ligament::fpga::detail {

inline constexpr std::size_t beat_bytes = 8;
inline constexpr std::size_t header_bytes = 16;

/// The memory that all ports share: so many bytes per cycle, none before the latency is over.
class MemoryPort {
 public:
  explicit MemoryPort(const Memory& memory);

  [[nodiscard]] std::uint64_t latency() const { return latency_cycles_; }
  [[nodiscard]] double bytes_per_cycle() const { return bytes_per_cycle_; }
  /// A doorbell: the first byte comes a latency later.
  void ring(std::uint64_t cycle);
  /// A cycle has come.
  void advance(std::uint64_t cycle);
  /// Whether a beat may move in this cycle.
  [[nodiscard]] bool gives(std::size_t bytes = beat_bytes) const {
    return credit_ >= static_cast<double>(bytes);
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
  std::mt19937_64 chance_;
};

/// The two words of a frame's header (spec/wire/stream.md). The body begins at the last boundary of
/// memory that is not behind the message.
[[nodiscard]] std::array<std::uint64_t, 2> frame_header(const Arrival& arrival, std::uint8_t topic);
/// Bytes between that boundary and the message.
[[nodiscard]] std::size_t pad_of(const Arrival& arrival);

/// Sends the messages of an entry, one after the other, as frames (spec/wire/stream.md).
class Sender {
 public:
  explicit Sender(const EntryWires& wires) : wires_(wires) {}

  void add(Arrival&& arrival) { waiting_.push_back(std::move(arrival)); }
  /// A doorbell for what was added.
  void ring(std::uint64_t cycle) { free_at_ = std::max(free_at_, cycle); }
  /// Before the clock: puts the next beat on the wires if memory gives it.
  void offer(MemoryPort& memory);
  /// When the wires have settled: true if a message's last beat goes in.
  [[nodiscard]] bool observe(std::uint64_t cycle);
  /// Behind the clock.
  void settle();
  /// Something waits for memory only.
  [[nodiscard]] bool is_hungry() const { return !waiting_.empty() && *wires_.valid == 0; }
  /// Messages that have begun since the reset.
  [[nodiscard]] std::uint64_t begun() const { return messages_; }
  /// The cycle in which it turned to one of them, if that was not long ago.
  [[nodiscard]] std::optional<std::uint64_t> began(std::uint64_t message) const;
  /// What has not gone in whole.
  [[nodiscard]] const std::deque<Arrival>& waiting() const { return waiting_; }
  void reset();

 private:
  void begin_message();
  [[nodiscard]] std::size_t frame_bytes() const;
  [[nodiscard]] std::uint64_t beat() const;

  EntryWires wires_;
  std::deque<Arrival> waiting_;
  std::array<std::uint64_t, 2> header_{};
  std::size_t pad_ = 0;
  std::size_t at_ = 0;  ///< bytes of the frame that are on the wires or behind
  bool begun_ = false;
  bool taken_ = false;
  std::uint64_t free_at_ = 0;
  std::uint64_t messages_ = 0;
  std::deque<std::uint64_t> began_;  ///< of the last ones
};

/// Takes the frames of an exit apart and checks them.
class Receiver {
 public:
  explicit Receiver(const ExitWires& wires) : wires_(wires) {}

  /// Before the clock: whether memory takes a beat.
  void open(const MemoryPort& memory) { *wires_.ready = static_cast<std::uint8_t>(memory.gives()); }
  /// After the wires have settled: true if a frame's last beat came.
  [[nodiscard]] bool observe(MemoryPort& memory);
  /// A beat waits for memory only.
  [[nodiscard]] bool is_hungry() const { return *wires_.valid != 0 && *wires_.ready == 0; }
  [[nodiscard]] bool is_moving() const { return *wires_.valid != 0 && *wires_.ready != 0; }
  /// Of the frame that has come: empty, or what is wrong with it.
  [[nodiscard]] std::string fault() const;
  /// Of a frame without a fault; the next one follows.
  [[nodiscard]] Departure take_message();
  /// The next frame follows.
  void forget();
  void reset();

 private:
  ExitWires wires_;
  std::vector<std::byte> bytes_;
  std::size_t announced_ = SIZE_MAX;  ///< bytes of the frame, once its header has come
  bool oversize_ = false;
};

}  // namespace ligament::fpga::detail
