// SPDX-License-Identifier: Apache-2.0
/// \file What is written into each message: its sequence number, when it was sent, and the number
/// again in its last 8 bytes, so that a message that is torn shows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace ligament::bench {

inline constexpr std::size_t smallest_message = 24;

struct Stamp {
  std::uint64_t sequence = 0;
  std::int64_t sent_ns = 0;
};

inline void write_sequence(std::span<std::byte> message, std::uint64_t sequence) {
  std::memcpy(message.data(), &sequence, sizeof sequence);
  std::memcpy(message.data() + message.size() - sizeof sequence, &sequence, sizeof sequence);
}

inline void write_time(std::span<std::byte> message, std::int64_t sent_ns) {
  std::memcpy(message.data() + 8, &sent_ns, sizeof sent_ns);
}

/// False if the message is not whole.
inline bool read_stamp(std::span<const std::byte> message, Stamp& stamp) {
  if (message.size() < smallest_message) {
    return false;
  }
  std::uint64_t last = 0;
  std::memcpy(&stamp.sequence, message.data(), sizeof stamp.sequence);
  std::memcpy(&stamp.sent_ns, message.data() + 8, sizeof stamp.sent_ns);
  std::memcpy(&last, message.data() + message.size() - sizeof last, sizeof last);
  return stamp.sequence == last;
}

}  // namespace ligament::bench
