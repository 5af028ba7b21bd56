// SPDX-License-Identifier: Apache-2.0
/// \file Software's accesses to the registers of gateways (spec/device/gateway.md, section 5): one
/// after the other, in the design's own cycles.
#pragma once

#include <cstdint>
#include <deque>
#include <ligament/fpga_design.hpp>
#include <optional>

namespace ligament::fpga::detail {

/// Place within an end's registers.
enum class Place : std::uint8_t {
  send_low = 0x00,
  send_high = 0x08,
  send_address = 0x10,
  send_doorbell = 0x18,
  room_address = 0x20,
  room_doorbell = 0x28,
  sent_low = 0x30,
  sent_high = 0x38,
  sent_event = 0x40,
  stored_low = 0x48,
  stored_high = 0x50,
  stored_event = 0x58,
  control = 0x60,
};
/// Among those that all ends share: which of them have events.
inline constexpr std::uint16_t sent_ends = 0xFF20;
inline constexpr std::uint16_t stored_ends = 0xFF28;
/// Of the table of pages: which entry comes next, and the entry.
inline constexpr std::uint16_t page_number = 0xFF30;
inline constexpr std::uint16_t page_entry = 0xFF38;

[[nodiscard]] constexpr std::uint16_t register_of(std::size_t end, Place place) {
  return static_cast<std::uint16_t>(end << 8U | static_cast<std::size_t>(place));
}

class Registers {
 public:
  struct Answer {
    std::uint16_t address = 0;
    std::uint64_t value = 0;
  };

  explicit Registers(const RegisterWires& wires) : wires_(wires) {}

  void write(std::uint16_t address, std::uint64_t value) { waiting_.push_back({address, value}); }
  void read(std::uint16_t address) { waiting_.push_back({address, std::nullopt}); }

  /// Something is on its way: only then are these three called.
  [[nodiscard]] bool is_busy() const { return !waiting_.empty(); }
  /// Before the clock.
  void offer();
  /// When the wires have settled: what a read gave.
  [[nodiscard]] std::optional<Answer> observe();
  /// Behind the clock.
  void settle();
  /// Every access was answered, and no event waits.
  [[nodiscard]] bool is_idle() const { return waiting_.empty() && *wires_.interrupt == 0; }
  [[nodiscard]] bool has_interrupt() const { return waiting_.empty() && *wires_.interrupt != 0; }
  void reset();

 private:
  /// Without a value: a read.
  struct Access {
    std::uint16_t address = 0;
    std::optional<std::uint64_t> value;
  };

  void lower();

  RegisterWires wires_;
  std::deque<Access> waiting_;  ///< the first one is on its way
  bool address_taken_ = false;
  bool data_taken_ = false;
  bool answered_ = false;
};

}  // namespace ligament::fpga::detail
