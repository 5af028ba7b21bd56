// SPDX-License-Identifier: Apache-2.0
/// \file CDR of protocol messages, read and written with every bound checked. A reader that ran
/// over its end, or met what cannot be, says so once at the end (`is_good`); until then it gives
/// zeros.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ligament::xrce {

using Bytes = std::span<const std::byte>;

class CdrReader {
 public:
  CdrReader(Bytes bytes, bool is_little_endian) : bytes_(bytes), is_little_(is_little_endian) {}

  std::uint8_t u8() { return number<std::uint8_t>(); }
  std::uint16_t u16() { return number<std::uint16_t>(); }
  std::uint32_t u32() { return number<std::uint32_t>(); }
  std::int32_t i32() { return static_cast<std::int32_t>(u32()); }
  std::uint64_t u64() { return number<std::uint64_t>(); }
  bool boolean();
  /// Two bytes, the first one the upper one, wherever they lie.
  std::uint16_t id() {
    if (!is_good_ || bytes_.size() - at_ < 2) {
      is_good_ = false;
      return 0;
    }
    std::uint16_t value = 0;
    std::memcpy(&value, bytes_.data() + at_, sizeof value);
    at_ += sizeof value;
    once(value);
    constexpr bool is_little = std::endian::native == std::endian::little;
    return is_little ? static_cast<std::uint16_t>(value << 8U | value >> 8U) : value;
  }
  /// So many bytes as they lie.
  Bytes bytes(std::size_t count);
  Bytes sequence() { return bytes(u32()); }
  /// Without the zero at its end, which there must be. An empty one may lack it.
  std::string_view string();
  void fail() { is_good_ = false; }

  [[nodiscard]] Bytes rest() const { return bytes_.subspan(at_); }
  [[nodiscard]] bool is_good() const { return is_good_; }
  [[nodiscard]] bool is_at_end() const { return at_ == bytes_.size(); }

 private:
  /// Here, so that the size is a constant: a message has a dozen, and each would divide by it.
  template <typename Number>
  Number number() {
    constexpr std::size_t size = sizeof(Number);
    const std::size_t from = (at_ + size - 1) / size * size;
    if (!is_good_ || from > bytes_.size() || bytes_.size() - from < size) {
      is_good_ = false;
      return 0;
    }
    at_ = from + size;
    std::array<std::byte, size> bytes{};
    std::memcpy(bytes.data(), bytes_.data() + from, size);
    if (is_little_ != (std::endian::native == std::endian::little)) {
      std::reverse(bytes.begin(), bytes.end());
    }
    auto value = std::bit_cast<Number>(bytes);
    once(value);
    return value;
  }
  /// A message may lie in memory that its sender can still write (RPMsg): what is checked and then
  /// used must be one reading. No instruction; the compiler does not know any more where it is
  /// from.
  template <typename Number>
  static void once(Number& value) {
    __asm__("" : "+r"(value));
  }

  Bytes bytes_;
  std::size_t at_ = 0;
  bool is_little_;
  bool is_good_ = true;
};

inline Bytes CdrReader::bytes(std::size_t count) {
  if (!is_good_ || bytes_.size() - at_ < count) {
    is_good_ = false;
    return {};
  }
  at_ += count;
  return bytes_.subspan(at_ - count, count);
}

/// Appends, little-endian, aligned from where it began.
class CdrWriter {
 public:
  explicit CdrWriter(std::vector<std::byte>& to) : to_(to), begin_(to.size()) {}

  void u8(std::uint8_t value) { number(value, 1); }
  void u16(std::uint16_t value) { number(value, 2); }
  void u32(std::uint32_t value) { number(value, 4); }
  void i32(std::int32_t value) { u32(static_cast<std::uint32_t>(value)); }
  void boolean(bool value) { u8(value ? 1 : 0); }
  void id(std::uint16_t value);
  void bytes(Bytes value) { to_.insert(to_.end(), value.begin(), value.end()); }
  void string(std::string_view value);

 private:
  void number(std::uint64_t value, std::size_t size);

  std::vector<std::byte>& to_;
  std::size_t begin_;
};

}  // namespace ligament::xrce
