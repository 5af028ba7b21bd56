// SPDX-License-Identifier: Apache-2.0
/// \file Payloads that can tell whether they are whole: number, then words that follow from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace ligament::pool::test {

inline std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

/// Fills all whole words: the first is `number`, word k is mix(number + k).
inline void stamp(std::span<std::byte> payload, std::uint64_t number) {
  for (std::size_t k = 0; k < payload.size() / 8; ++k) {
    const std::uint64_t word = k == 0 ? number : mix(number + k);
    std::memcpy(payload.data() + k * 8, &word, 8);
  }
}

/// The number, or 0 if any word does not follow from it.
inline std::uint64_t number_of(std::span<const std::byte> payload) {
  std::uint64_t number = 0;
  std::memcpy(&number, payload.data(), payload.size() < 8 ? 0 : 8);
  for (std::size_t k = 1; k < payload.size() / 8; ++k) {
    std::uint64_t word = 0;
    std::memcpy(&word, payload.data() + k * 8, 8);
    if (word != mix(number + k)) {
      return 0;
    }
  }
  return number;
}

}  // namespace ligament::pool::test
