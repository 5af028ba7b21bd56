// SPDX-License-Identifier: Apache-2.0
/// \file What answers a design's port on memory: the pool's own bytes, at the memory's pace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <ligament/fpga_design.hpp>
#include <optional>
#include <vector>

#include "fpga/ports.hpp"

namespace ligament::fpga::detail {

/// Only what was opened to it is touched: anything else is answered with an error. A burst's first
/// beat comes a latency behind its request, a write is answered a latency behind its last beat.
class BurstMemory {
 public:
  BurstMemory(const MemoryWires& wires, std::uint64_t latency) : wires_(wires), latency_(latency) {}

  /// A message that is read, or a room that is written; until it is closed.
  void open(std::uint64_t address, std::size_t bytes, bool writable);
  void close(std::uint64_t address);
  /// When the first burst was announced to what begins there.
  [[nodiscard]] std::optional<std::uint64_t> first_burst(std::uint64_t address) const;

  /// Before the clock: puts answers on the wires.
  void offer(MemoryPort& memory, std::uint64_t cycle);
  /// When the wires have settled: what they carry.
  void observe(MemoryPort& memory, std::uint64_t cycle);
  /// Behind the clock.
  void settle();
  /// Nothing is asked for, and everything was answered.
  [[nodiscard]] bool is_idle() const;
  void reset();

 private:
  struct Window {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    bool writable = false;
    std::optional<std::uint64_t> touched_at;
  };
  /// Nothing is touched from `end` on, which is 0 once what it lies in has been closed.
  struct Read {
    std::uint64_t address = 0;
    std::uint64_t end = 0;
    std::uint64_t beats = 0;
    std::uint8_t id = 0;
    std::uint64_t ready_at = 0;
  };
  struct Write {
    std::uint64_t address = 0;
    std::uint64_t end = 0;
    std::uint8_t id = 0;
    std::uint8_t response = 0;
    std::optional<std::uint64_t> answer_at;  ///< once all of it is there
  };

  [[nodiscard]] Window* window(std::uint64_t address, bool writable);
  [[nodiscard]] std::uint64_t extent(std::uint64_t address, bool writable);
  [[nodiscard]] std::uint64_t touch(std::uint64_t address, bool writable, std::uint64_t cycle);
  void offer_read(MemoryPort& memory, std::uint64_t cycle, std::size_t before);
  void offer_answer(std::uint64_t cycle);
  [[nodiscard]] bool awaits_data() const { return complete_ < writes_.size(); }
  [[nodiscard]] std::size_t strobed_bytes() const;
  void accept(std::uint64_t cycle);
  void store(std::uint64_t cycle);
  void put(std::byte* place) const;

  MemoryWires wires_;
  std::uint64_t latency_;
  std::vector<Window> windows_;
  std::deque<Read> reads_;
  std::deque<Write> writes_;
  std::size_t complete_ = 0;  ///< of the writes: all data are there
  bool taken_read_ = false;
  bool taken_answer_ = false;
};

}  // namespace ligament::fpga::detail
