// SPDX-License-Identifier: Apache-2.0
#include "transport/dds/type_lookups.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace ligament::dds {

/// Not nameless: files are compiled together, and others read RTPS, too.
namespace lookup_wire {
namespace {

using Bytes = std::span<std::byte>;

constexpr std::size_t rtps_header_size = 20;
constexpr std::size_t header_size = 4;  // id, flags, length
constexpr std::byte little_endian{0x01};
constexpr std::byte has_payload{0x04};
constexpr std::byte has_key{0x08};
constexpr std::byte data{0x15};
constexpr std::byte pad{0x01};
constexpr std::byte info_timestamp{0x09};

constexpr std::size_t writer_at = 12;
/// ENTITYID_TL_SVC_BUILTIN_REPLY_WRITER (DDS-XTypes 1.3, section 7.6.3.3.4).
constexpr std::array reply_writer{std::byte{0x00}, std::byte{0x03}, std::byte{0x01},
                                  std::byte{0xc3}};

std::size_t length_of(Bytes submessage) {
  const bool is_little = (submessage[1] & little_endian) != std::byte{0};
  const auto low = std::to_integer<std::size_t>(submessage[is_little ? 2 : 3]);
  const auto high = std::to_integer<std::size_t>(submessage[is_little ? 3 : 2]);
  return high << 8U | low;
}

/// Fragments are none: Fast DDS sends answers whole.
bool is_reply(Bytes submessage) {
  return submessage[0] == data && submessage.size() >= writer_at + reply_writer.size() &&
         (submessage[1] & (has_payload | has_key)) != std::byte{0} &&
         std::equal(reply_writer.begin(), reply_writer.end(), submessage.begin() + writer_at);
}

std::size_t empty_replies(Bytes datagram) {
  std::size_t emptied = 0;
  Bytes rest = datagram.subspan(std::min(rtps_header_size, datagram.size()));
  while (rest.size() >= header_size) {
    const std::size_t length = length_of(rest);
    // A length of 0 means: up to the end, but of these two.
    const bool is_last = length == 0 && rest[0] != pad && rest[0] != info_timestamp;
    const std::size_t size = is_last ? rest.size() : std::min(header_size + length, rest.size());
    if (const Bytes submessage = rest.first(size); is_reply(submessage)) {
      submessage[1] &= ~(has_payload | has_key);
      ++emptied;
    }
    rest = rest.subspan(size);
  }
  return emptied;
}

}  // namespace
}  // namespace lookup_wire

std::size_t empty_type_lookups(std::span<std::byte> datagram) {
  return lookup_wire::empty_replies(datagram);
}

}  // namespace ligament::dds
