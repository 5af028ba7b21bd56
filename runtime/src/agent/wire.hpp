// SPDX-License-Identifier: Apache-2.0
/// \file The names and numbers of DDS-XRCE. What they mean: spec/wire/xrce.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace ligament::xrce {

enum class Submessage : std::uint8_t {
  create_client = 0,
  create = 1,
  get_info = 2,
  remove = 3,
  status_agent = 4,
  status = 5,
  info = 6,
  write_data = 7,
  read_data = 8,
  data = 9,
  acknack = 10,
  heartbeat = 11,
  reset = 12,
  fragment = 13,
  timestamp = 14,
  timestamp_reply = 15,
};

enum class Status : std::uint8_t {
  ok = 0x00,
  ok_matched = 0x01,
  dds_error = 0x80,
  mismatch = 0x81,
  already_exists = 0x82,
  denied = 0x83,
  unknown_reference = 0x84,
  invalid_data = 0x85,
  incompatible = 0x86,
  resources = 0x87,
};

enum class Kind : std::uint8_t {
  participant = 1,
  topic = 2,
  publisher = 3,
  subscriber = 4,
  writer = 5,
  reader = 6,
  requester = 7,
  replier = 8,
  agent = 13,
  client = 14,
};

enum class Form : std::uint8_t { reference = 1, xml = 2, binary = 3 };

namespace flag {
inline constexpr std::uint8_t little_endian = 0x01;
inline constexpr std::uint8_t last_fragment = 0x02;
inline constexpr std::uint8_t reuse = 0x02;
inline constexpr std::uint8_t replace = 0x04;
inline constexpr std::uint8_t format = 0x0E;
}  // namespace flag

namespace qos_flag {
inline constexpr std::uint16_t reliable = 0x01;
inline constexpr std::uint16_t keep_last = 0x02;
inline constexpr std::uint16_t exclusive = 0x04;
inline constexpr std::uint16_t transient_local = 0x08;
inline constexpr std::uint16_t transient = 0x10;
inline constexpr std::uint16_t persistent = 0x20;
}  // namespace qos_flag

inline constexpr std::uint8_t no_session_with_key = 0x00;
inline constexpr std::uint8_t no_session = 0x80;  ///< from here on, headers have no key
inline constexpr std::uint8_t no_stream = 0;
inline constexpr std::uint8_t first_best_effort = 1;
inline constexpr std::uint8_t first_reliable = 0x80;
inline constexpr std::size_t subheader_size = 4;
inline constexpr std::size_t largest_header = 8;
inline constexpr std::size_t request_size = 4;
inline constexpr std::size_t identity_size = 24;  ///< before the body of a request to a replier
inline constexpr std::size_t encapsulation_size = 4;
/// What goes before a body in the pool: XCDR1, little-endian.
inline constexpr std::array<std::uint8_t, encapsulation_size> little_endian_cdr{0, 1, 0, 0};
inline constexpr std::uint16_t window = 16;  ///< messages that one ACKNACK speaks of
inline constexpr std::uint16_t object_client = 0xFFFE;
inline constexpr std::uint8_t version_major = 1;

using Key = std::array<std::uint8_t, 4>;

/// How far `a` is behind `b` on the circle of sequence numbers; negative: before it.
[[nodiscard]] constexpr std::int16_t distance(std::uint16_t a, std::uint16_t b) {
  return static_cast<std::int16_t>(static_cast<std::uint16_t>(a - b));
}
[[nodiscard]] constexpr std::uint16_t advanced(std::uint16_t number, int by) {
  return static_cast<std::uint16_t>(number + by);
}
[[nodiscard]] constexpr bool is_reliable(std::uint8_t stream) { return stream >= first_reliable; }

/// The request that a message belongs to: 2 bytes of the client's count, 2 of an object, as numbers
/// whose first byte on the wire is the upper one.
struct Request {
  std::uint16_t id = 0;
  std::uint16_t object = 0;
  bool operator==(const Request&) const = default;
};
[[nodiscard]] constexpr Kind kind_of(std::uint16_t object) {
  return static_cast<Kind>(object & 0x0FU);
}

}  // namespace ligament::xrce
