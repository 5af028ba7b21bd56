// SPDX-License-Identifier: Apache-2.0
#include "fpga/registers.hpp"

#include <utility>

namespace ligament::fpga::detail {

void Registers::offer() {
  const bool writes = waiting_.front().value.has_value();
  const bool reads = !writes;
  *wires_.aw_valid = static_cast<std::uint8_t>(writes && !address_taken_);
  *wires_.w_valid = static_cast<std::uint8_t>(writes && !data_taken_);
  *wires_.ar_valid = static_cast<std::uint8_t>(reads && !address_taken_);
  if (writes) {
    *wires_.aw_address = waiting_.front().address;
    *wires_.w_data = *waiting_.front().value;
  } else {
    *wires_.ar_address = waiting_.front().address;
  }
}

std::optional<Registers::Answer> Registers::observe() {
  const auto moves = [](const std::uint8_t* valid, const std::uint8_t* ready) {
    return *valid != 0 && *ready != 0;
  };
  address_taken_ = address_taken_ || moves(wires_.aw_valid, wires_.aw_ready) ||
                   moves(wires_.ar_valid, wires_.ar_ready);
  data_taken_ = data_taken_ || moves(wires_.w_valid, wires_.w_ready);
  const bool reads = !waiting_.front().value;
  answered_ = (reads ? *wires_.r_valid : *wires_.b_valid) != 0;
  if (answered_ && reads) {
    return Answer{waiting_.front().address, *wires_.r_data};
  }
  return std::nullopt;
}

void Registers::settle() {
  if (std::exchange(answered_, false)) {
    address_taken_ = data_taken_ = false;
    waiting_.pop_front();
    if (!is_busy()) {
      lower();
    }
  }
}

/// Nothing is asked for.
void Registers::lower() {
  *wires_.aw_valid = 0;
  *wires_.w_valid = 0;
  *wires_.ar_valid = 0;
}

void Registers::reset() {
  waiting_.clear();
  address_taken_ = data_taken_ = answered_ = false;
  lower();
}

}  // namespace ligament::fpga::detail
