// SPDX-License-Identifier: Apache-2.0
#include "camera/decompress.hpp"

#include <lz4frame.h>
#include <zstd.h>

#include <array>
#include <memory>

namespace ligament::nodes::image {
namespace {

using Error = unexpected<DecompressError>;

constexpr std::array<std::uint32_t, 256> crc_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) {
      value = (value >> 1) ^ ((value & 1) != 0 ? 0xEDB88320U : 0U);
    }
    table[i] = value;
  }
  return table;
}

}  // namespace

expected<void, DecompressError> decompress_zstd(std::span<const std::byte> in, std::size_t size,
                                                std::vector<std::byte>& out) {
  out.resize(size);
  const std::size_t written = ZSTD_decompress(out.data(), out.size(), in.data(), in.size());
  if (ZSTD_isError(written) != 0) return Error(DecompressError::corrupt);
  if (written != size) return Error(DecompressError::wrong_size);
  return {};
}

expected<void, DecompressError> decompress_lz4(std::span<const std::byte> in, std::size_t size,
                                               std::vector<std::byte>& out) {
  LZ4F_dctx* raw = nullptr;
  if (LZ4F_isError(LZ4F_createDecompressionContext(&raw, LZ4F_VERSION)) != 0) {
    return Error(DecompressError::corrupt);
  }
  const std::unique_ptr<LZ4F_dctx, decltype(&LZ4F_freeDecompressionContext)> context(
      raw, &LZ4F_freeDecompressionContext);
  out.resize(size);
  std::size_t written = 0;
  std::size_t read = 0;
  std::size_t hint = 1;
  while (hint != 0 && read < in.size()) {
    std::size_t room = size - written;
    std::size_t offered = in.size() - read;
    hint = LZ4F_decompress(raw, out.data() + written, &room, in.data() + read, &offered, nullptr);
    if (LZ4F_isError(hint) != 0) return Error(DecompressError::corrupt);
    // Neither input used nor output made: the frame wants more room than it declared.
    if (room == 0 && offered == 0) return Error(DecompressError::wrong_size);
    written += room;
    read += offered;
  }
  if (hint != 0) return Error(DecompressError::corrupt);
  if (written != size) return Error(DecompressError::wrong_size);
  return {};
}

expected<void, DecompressError> decompress_zstd_message(std::span<const std::byte> in,
                                                        std::size_t limit,
                                                        std::vector<std::byte>& out) {
  const unsigned long long size = ZSTD_getFrameContentSize(in.data(), in.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN) {
    return Error(DecompressError::corrupt);
  }
  if (size > limit) return Error(DecompressError::too_large);
  return decompress_zstd(in, static_cast<std::size_t>(size), out);
}

std::uint32_t crc32(std::span<const std::byte> bytes) {
  static constexpr auto kTable = crc_table();
  std::uint32_t crc = 0xFFFFFFFFU;
  for (const std::byte byte : bytes) {
    crc = (crc >> 8) ^ kTable[(crc ^ static_cast<std::uint32_t>(byte)) & 0xFFU];
  }
  return crc ^ 0xFFFFFFFFU;
}

}  // namespace ligament::nodes::image
