// SPDX-License-Identifier: Apache-2.0
#include "agent/framing.hpp"

#include <array>

namespace ligament::xrce {

namespace {

constexpr std::byte begin{0x7E};
constexpr std::byte escape{0x7D};
constexpr std::byte turned{0x20};
constexpr std::size_t head_size = 4;
constexpr std::size_t sum_size = 2;
constexpr std::byte own_address{0};

constexpr std::array<std::uint16_t, 256> make_table() {
  std::array<std::uint16_t, 256> table{};
  for (unsigned i = 0; i < table.size(); ++i) {
    unsigned sum = i;
    for (int bit = 0; bit < 8; ++bit) {
      sum = (sum & 1U) != 0 ? sum >> 1U ^ 0xA001U : sum >> 1U;
    }
    table[i] = static_cast<std::uint16_t>(sum);
  }
  return table;
}
constexpr auto table = make_table();

void put(std::vector<std::byte>& to, std::byte byte) {
  if (byte == begin || byte == escape) {
    to.push_back(escape);
    byte ^= turned;
  }
  to.push_back(byte);
}

void put_u16(std::vector<std::byte>& to, std::size_t value) {
  put(to, static_cast<std::byte>(value & 0xFFU));
  put(to, static_cast<std::byte>(value >> 8U & 0xFFU));
}

std::size_t u16_at(const std::vector<std::byte>& bytes, std::size_t at) {
  return std::to_integer<std::size_t>(bytes[at]) | std::to_integer<std::size_t>(bytes[at + 1])
                                                       << 8U;
}

}  // namespace

std::uint16_t crc16(std::uint16_t sum, Bytes bytes) {
  for (const std::byte byte : bytes) {
    const auto index = (sum ^ std::to_integer<unsigned>(byte)) & 0xFFU;
    sum = static_cast<std::uint16_t>(sum >> 8U ^ table[index]);
  }
  return sum;
}

void append_frame(std::vector<std::byte>& to, std::uint8_t destination,
                  std::span<const Bytes> pieces) {
  std::size_t size = 0;
  std::uint16_t sum = 0;
  for (const Bytes& piece : pieces) {
    size += piece.size();
    sum = crc16(sum, piece);
  }
  to.push_back(begin);
  put(to, own_address);
  put(to, static_cast<std::byte>(destination));
  put_u16(to, size);
  for (const Bytes& piece : pieces) {
    for (const std::byte byte : piece) {
      put(to, byte);
    }
  }
  put_u16(to, sum);
}

void Deframer::add(Bytes bytes, const Take& take) {
  for (std::byte byte : bytes) {
    if (byte == begin) {
      broken_ += is_in_frame_ ? 1 : 0;
      frame_.clear();
      is_in_frame_ = true;
      is_escaped_ = false;
    } else if (byte == escape) {
      is_escaped_ = true;
    } else if (is_in_frame_) {
      add_plain(is_escaped_ ? byte ^ turned : byte, take);
      is_escaped_ = false;
    }
  }
}

void Deframer::add_plain(std::byte byte, const Take& take) {
  frame_.push_back(byte);
  if (frame_.size() < head_size) {
    return;
  }
  const std::size_t size = u16_at(frame_, 2);
  if (frame_.size() < head_size + size + sum_size) {
    return;
  }
  is_in_frame_ = false;
  const Bytes message = Bytes(frame_).subspan(head_size, size);
  if (size == 0 || crc16(0, message) != u16_at(frame_, head_size + size)) {
    ++broken_;
    return;
  }
  take(std::to_integer<std::uint8_t>(frame_[0]), message);
}

}  // namespace ligament::xrce
