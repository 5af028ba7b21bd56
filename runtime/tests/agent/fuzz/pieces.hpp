// SPDX-License-Identifier: Apache-2.0
/// \file An input as several messages: each has its size before it, in two bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace ligament::xrce::test {

/// Takes the next message off; empty: there is none.
inline std::span<const std::uint8_t> next_piece(std::span<const std::uint8_t>& input) {
  if (input.size() < 2) {
    return {};
  }
  const std::size_t said = input[0] | static_cast<std::size_t>(input[1] & 7U) << 8U;
  const std::size_t size = std::min(said, input.size() - 2);
  const auto piece = input.subspan(2, size);
  input = input.subspan(2 + size);
  return piece;
}

}  // namespace ligament::xrce::test
