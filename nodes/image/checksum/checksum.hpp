// SPDX-License-Identifier: Apache-2.0
/// \file The checksum of image/checksum.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace ligament::nodes::image {

/// Words of 8 bytes, little-endian, the last filled up with 0: each is added to the sum turned left
/// by one bit.
[[nodiscard]] inline std::uint64_t checksum_of(std::span<const std::uint8_t> data) {
  static_assert(std::endian::native == std::endian::little);
  std::uint64_t sum = 0;
  for (std::size_t at = 0; at < data.size(); at += sizeof sum) {
    std::uint64_t word = 0;
    std::memcpy(&word, data.data() + at, std::min(sizeof word, data.size() - at));
    sum = std::rotl(sum, 1) + word;
  }
  return sum;
}

}  // namespace ligament::nodes::image
