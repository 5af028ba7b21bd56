// SPDX-License-Identifier: Apache-2.0
/// \file zstd and lz4 frames into memory of a size that is known or bounded beforehand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ligament/expected.hpp>
#include <span>
#include <vector>

namespace ligament::nodes::image {

enum class DecompressError : std::uint8_t { corrupt, wrong_size, too_large };

/// Fills `out`, which is resized to `size`, with exactly that many bytes, or fails.
[[nodiscard]] expected<void, DecompressError> decompress_zstd(std::span<const std::byte> in,
                                                              std::size_t size,
                                                              std::vector<std::byte>& out);
[[nodiscard]] expected<void, DecompressError> decompress_lz4(std::span<const std::byte> in,
                                                             std::size_t size,
                                                             std::vector<std::byte>& out);
/// A zstd frame that says its own size, which may be at most `limit`.
[[nodiscard]] expected<void, DecompressError> decompress_zstd_message(std::span<const std::byte> in,
                                                                      std::size_t limit,
                                                                      std::vector<std::byte>& out);
/// CRC-32 as zlib and MCAP define it.
[[nodiscard]] std::uint32_t crc32(std::span<const std::byte> bytes);

}  // namespace ligament::nodes::image
