// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <ligament/fpga_design.hpp>

namespace ligament::fpga::testing {

/// A port of 64 bits, and what a design would put on it.
struct Port {
  std::uint8_t ar_valid = 0, ar_ready = 0, ar_id = 0, ar_length = 0;
  std::uint64_t ar_address = 0;
  std::uint8_t r_valid = 0, r_ready = 1, r_id = 0, r_response = 0, r_last = 0;
  std::array<std::uint8_t, 8> r_data{};
  std::uint8_t aw_valid = 0, aw_ready = 0, aw_id = 0;
  std::uint64_t aw_address = 0;
  std::uint8_t w_valid = 0, w_ready = 0, w_strobe = 0xFF, w_last = 0;
  std::array<std::uint8_t, 8> w_data{};
  std::uint8_t b_valid = 0, b_ready = 1, b_id = 0, b_response = 0;

  [[nodiscard]] MemoryWires wires() {
    return {.beat_bytes = 8,
            .ar_valid = &ar_valid,
            .ar_ready = &ar_ready,
            .ar_id = &ar_id,
            .ar_address = &ar_address,
            .ar_length = &ar_length,
            .r_valid = &r_valid,
            .r_ready = &r_ready,
            .r_id = &r_id,
            .r_data = r_data.data(),
            .r_response = &r_response,
            .r_last = &r_last,
            .aw_valid = &aw_valid,
            .aw_ready = &aw_ready,
            .aw_id = &aw_id,
            .aw_address = &aw_address,
            .w_valid = &w_valid,
            .w_ready = &w_ready,
            .w_data = w_data.data(),
            .w_strobe = &w_strobe,
            .w_last = &w_last,
            .b_valid = &b_valid,
            .b_ready = &b_ready,
            .b_id = &b_id,
            .b_response = &b_response};
  }
};

}  // namespace ligament::fpga::testing
