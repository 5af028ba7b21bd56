// SPDX-License-Identifier: Apache-2.0
#include "transport/dds/type_lookups.hpp"

#include <algorithm>
#include <array>

#include "transport/dds/rtps.hpp"

namespace ligament::dds {

namespace {

constexpr std::byte payload_flag{0x04};
constexpr std::byte key_flag{0x08};

/// ENTITYID_TL_SVC_BUILTIN_REPLY_WRITER (DDS-XTypes 1.3, section 7.6.3.3.4).
constexpr std::array lookup_reply_writer{std::byte{0x00}, std::byte{0x03}, std::byte{0x01},
                                         std::byte{0xc3}};

/// Fragments are none: Fast DDS sends answers whole.
bool is_lookup_reply(std::span<const std::byte> submessage) {
  constexpr std::size_t writer_at = 12;
  return submessage[0] == rtps::data &&
         submessage.size() >= writer_at + lookup_reply_writer.size() &&
         (submessage[1] & (payload_flag | key_flag)) != std::byte{0} &&
         std::equal(lookup_reply_writer.begin(), lookup_reply_writer.end(),
                    submessage.begin() + writer_at);
}

}  // namespace

std::size_t empty_type_lookups(std::span<std::byte> datagram) {
  std::size_t emptied = 0;
  rtps::for_each_submessage(datagram, [&emptied](std::span<std::byte> submessage) {
    if (is_lookup_reply(submessage)) {
      submessage[1] &= ~(payload_flag | key_flag);
      ++emptied;
    }
    return true;
  });
  return emptied;
}

}  // namespace ligament::dds
