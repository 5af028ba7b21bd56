// SPDX-License-Identifier: Apache-2.0
#include "transport/dds/first_heartbeats.hpp"

#include <algorithm>
#include <cstring>

#include "transport/dds/rtps.hpp"

namespace ligament::dds {

namespace {

/// In a heartbeat, behind the reader.
constexpr std::size_t heartbeat_writer_at = 8;

/// Its length may have been 0 for "up to the end", which padding does not know.
void make_padding(std::span<std::byte> submessage) {
  const std::size_t length = submessage.size() - rtps::submessage_header_size;
  submessage[0] = rtps::pad;
  submessage[1] = rtps::little_endian;
  submessage[2] = static_cast<std::byte>(length & 0xffU);
  submessage[3] = static_cast<std::byte>(length >> 8U);
}

}  // namespace

std::size_t drop_early_heartbeats(std::span<std::byte> datagram, const IsMatched& is_matched) {
  if (datagram.size() < rtps::header_size || !rtps::is_fastdds(datagram.subspan(rtps::prefix_at))) {
    return 0;
  }
  pool::Gid writer{};
  std::memcpy(writer.data(), &datagram[rtps::prefix_at], rtps::prefix_size);
  std::size_t dropped = 0;
  rtps::for_each_submessage(datagram, [&](std::span<std::byte> submessage) {
    if (submessage[0] == rtps::info_source) {
      return false;  // somebody passes on what others sent
    }
    if (submessage[0] == rtps::heartbeat &&
        submessage.size() >= heartbeat_writer_at + rtps::entity_size) {
      std::memcpy(&writer[rtps::prefix_size], &submessage[heartbeat_writer_at], rtps::entity_size);
      if (!is_matched(writer)) {
        make_padding(submessage);
        ++dropped;
      }
    }
    return true;
  });
  return dropped;
}

}  // namespace ligament::dds
