// SPDX-License-Identifier: Apache-2.0
#include "agent/cdr.hpp"

namespace ligament::xrce {

bool CdrReader::boolean() {
  const std::uint8_t value = u8();
  is_good_ = is_good_ && value <= 1;
  return value == 1;
}

std::string_view CdrReader::string() {
  const Bytes all = sequence();
  if (all.empty()) {
    return {};
  }
  const std::string_view text(reinterpret_cast<const char*>(all.data()), all.size());
  const std::size_t end = text.find('\0');
  is_good_ = is_good_ && end == text.size() - 1;
  return is_good_ ? text.substr(0, end) : std::string_view();
}

void CdrWriter::number(std::uint64_t value, std::size_t size) {
  const std::size_t used = to_.size() - begin_;
  to_.resize(begin_ + (used + size - 1) / size * size);
  for (std::size_t i = 0; i < size; ++i) {
    to_.push_back(static_cast<std::byte>(value >> (8 * i) & 0xFFU));
  }
}

void CdrWriter::id(std::uint16_t value) {
  u8(static_cast<std::uint8_t>(value >> 8U));
  u8(static_cast<std::uint8_t>(value & 0xFFU));
}

void CdrWriter::string(std::string_view value) {
  u32(static_cast<std::uint32_t>(value.size() + 1));
  bytes(std::as_bytes(std::span(value)));
  u8(0);
}

}  // namespace ligament::xrce
