// SPDX-License-Identifier: Apache-2.0
#include "transport/dds/first_acks.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>

namespace ligament::dds {

namespace {

constexpr std::size_t header_size = 4;  // id, flags, length
constexpr std::byte pad{0x01};
constexpr std::byte ack_nack{0x06};
constexpr std::byte info_timestamp{0x09};
constexpr std::byte info_destination{0x0e};
/// Guid prefixes begin with the vendor's number.
constexpr std::array fastdds{std::byte{0x01}, std::byte{0x0f}};

constexpr std::size_t ack_nack_size = 28;
constexpr std::size_t base_at = 12;    // behind the reader and the writer; its upper half
constexpr std::size_t number_at = 16;  // the lower one
constexpr std::array<std::byte, 16> from_one{{{}, {}, {}, {}, std::byte{1}}};  // no bits, count 0

std::size_t length_of(std::span<const std::byte> header) {
  std::uint16_t length = 0;
  std::memcpy(&length, &header[2], sizeof length);
  return length;
}

/// Little-endian, not final: an answer is asked for.
bool is_first_ack(std::span<const std::byte> submessage) {
  constexpr std::byte little_endian{0x01};
  return submessage.size() == ack_nack_size && submessage[0] == ack_nack &&
         submessage[1] == little_endian &&
         std::equal(from_one.begin(), from_one.end(), submessage.begin() + base_at);
}

}  // namespace

std::size_t FirstAcks::adapt(std::span<std::byte> part) {
  std::size_t changed = 0;
  while (skip_ < part.size() && part.size() - skip_ >= header_size) {
    part = part.subspan(skip_);
    const std::size_t length = length_of(part);
    const bool is_last = length == 0 && part[0] != pad && part[0] != info_timestamp;
    skip_ = is_last ? std::numeric_limits<std::size_t>::max() : header_size + length;
    const auto submessage = part.first(std::min(skip_, part.size()));
    if (part[0] == info_destination) {
      to_fastdds_ = submessage.size() >= header_size + fastdds.size() &&
                    std::equal(fastdds.begin(), fastdds.end(), submessage.begin() + header_size);
    } else if (to_fastdds_ && is_first_ack(submessage)) {
      submessage[number_at] = std::byte{0};
      ++changed;
    }
  }
  skip_ -= std::min(skip_, part.size());
  return changed;
}

}  // namespace ligament::dds
