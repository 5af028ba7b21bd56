// SPDX-License-Identifier: Apache-2.0
/// \file Datagrams of RTPS, as far as several parts here look into them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

namespace ligament::dds::rtps {

inline constexpr std::size_t header_size = 20;
inline constexpr std::size_t prefix_at = 8;     ///< in the header: of the participant that sends
inline constexpr std::size_t prefix_size = 12;  ///< of a guid; then comes the entity
inline constexpr std::size_t entity_size = 4;

inline constexpr std::size_t submessage_header_size = 4;  ///< id, flags, length
inline constexpr std::byte little_endian{0x01};           ///< among the flags

inline constexpr std::byte pad{0x01};
inline constexpr std::byte ack_nack{0x06};
inline constexpr std::byte heartbeat{0x07};
inline constexpr std::byte info_timestamp{0x09};
inline constexpr std::byte info_source{0x0c};
inline constexpr std::byte info_destination{0x0e};
inline constexpr std::byte data{0x15};

/// Of a submessage of length 0: whether it lasts to the datagram's end, as most do.
[[nodiscard]] inline bool lasts_to_the_end(std::byte id) {
  return id != pad && id != info_timestamp;
}

/// Whose a participant is: guid prefixes begin with the vendor's number.
[[nodiscard]] inline bool is_fastdds(std::span<const std::byte> prefix) {
  constexpr std::array fastdds{std::byte{0x01}, std::byte{0x0f}};
  return prefix.size() >= fastdds.size() &&
         std::equal(fastdds.begin(), fastdds.end(), prefix.begin());
}

/// Of a received datagram, which may be any bytes: calls `visit` with each submessage, header
/// included, until it returns false. The last one may be cut.
template <typename Visit>
void for_each_submessage(std::span<std::byte> datagram, Visit visit) {
  auto rest = datagram.subspan(std::min(header_size, datagram.size()));
  while (rest.size() >= submessage_header_size) {
    const bool is_little = (rest[1] & little_endian) != std::byte{0};
    const auto low = std::to_integer<std::size_t>(rest[is_little ? 2 : 3]);
    const auto high = std::to_integer<std::size_t>(rest[is_little ? 3 : 2]);
    const std::size_t length = high << 8U | low;
    const std::size_t size = length == 0 && lasts_to_the_end(rest[0])
                                 ? rest.size()
                                 : std::min(submessage_header_size + length, rest.size());
    if (!visit(rest.first(size))) {
      return;
    }
    rest = rest.subspan(size);
  }
}

}  // namespace ligament::dds::rtps
