// SPDX-License-Identifier: Apache-2.0
/// \file What answers a design's port on memory: the pool's own bytes, at the memory's pace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ligament/fpga_design.hpp>
#include <optional>
#include <vector>

#include "fpga/page_table.hpp"
#include "fpga/ports.hpp"
#include "fpga/ring.hpp"

namespace ligament::fpga::detail {

/// Only what was opened to it is touched: anything else is answered with an error. A burst's first
/// beat comes a latency behind its request, a write is answered a latency behind its last beat.
class BurstMemory {
 public:
  BurstMemory(const MemoryWires& wires, std::uint64_t latency) : wires_(wires), latency_(latency) {}

  /// From now on addresses of the port are those of memory, to which this table leads.
  void scatter(PageTable& pages) { pages_ = &pages; }

  /// A message that is read, or a room that is written; until it is closed. Under which address the
  /// device finds it; nothing while pages of others are in its way.
  std::optional<std::uint64_t> open(std::uint64_t address, std::size_t bytes, bool writable);
  void close(std::uint64_t address);
  /// A message that will be opened soon: its pages are looked for now.
  void prepare(std::uint64_t address, std::size_t bytes);
  /// When the first burst was announced to what begins there: as `observe` was told the time.
  [[nodiscard]] std::optional<std::uint64_t> first_burst(std::uint64_t address) const;

  /// Before the port's clock, in which all other cycles are: puts answers on the wires.
  void offer(MemoryPort& memory, std::uint64_t cycle);
  /// When the wires have settled: what they carry. `now`: the same time in the cores' cycles.
  void observe(MemoryPort& memory, std::uint64_t cycle, std::uint64_t now);
  /// Behind the clock.
  void settle();
  /// Nothing is asked for, and everything was answered.
  [[nodiscard]] bool is_idle() const;
  void reset();

 private:
  /// Of each direction that memory takes before it has answered one.
  static constexpr std::size_t most_bursts = 32;

  struct Window {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    bool writable = false;
    std::uint64_t seen = 0;  ///< by the device
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

  [[nodiscard]] std::size_t span_of(std::size_t bytes, bool writable) const;
  [[nodiscard]] std::uint64_t address_of(std::uint64_t place) const;
  [[nodiscard]] Window* window(std::uint64_t address, bool writable);
  [[nodiscard]] std::uint64_t extent(std::uint64_t address, bool writable);
  [[nodiscard]] std::uint64_t touch(std::uint64_t address, bool writable, std::uint64_t now);
  void offer_read(MemoryPort& memory, std::uint64_t cycle, std::size_t before);
  void offer_answer(std::uint64_t cycle);
  [[nodiscard]] bool awaits_data() const { return complete_ < writes_.size(); }
  [[nodiscard]] std::size_t strobed_bytes() const;
  void accept(std::uint64_t cycle, std::uint64_t now);
  void store(std::uint64_t cycle);
  void put(std::byte* place) const;

  MemoryWires wires_;
  std::uint64_t latency_;
  PageTable* pages_ = nullptr;
  std::vector<Window> windows_;
  Ring<Read, most_bursts> reads_;
  Ring<Write, most_bursts> writes_;
  std::size_t complete_ = 0;  ///< of the writes: all data are there
  bool taken_read_ = false;
  bool taken_answer_ = false;
};

}  // namespace ligament::fpga::detail
