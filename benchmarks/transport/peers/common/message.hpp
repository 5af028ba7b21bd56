// SPDX-License-Identifier: Apache-2.0
// The stamps of a message: u64 sequence, i64 send time, ..., and the sequence again at the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "clock.hpp"

namespace peer {

// A message as it was read.
struct Message {
  std::int64_t received_at = 0;
  std::int64_t sent_at = 0;
  std::uint64_t sequence = 0;
  // The sequence at the end differs: the payload was overwritten while it was read.
  bool torn = false;
};

// The times of one publish call.
struct Published {
  std::int64_t begin = 0;
  std::int64_t sent_at = 0;
  std::int64_t end = 0;
};

// Writes the stamps, the time last; returns the time.
inline std::int64_t stamp(std::uint8_t* payload, std::size_t bytes, std::uint64_t sequence) {
  std::memcpy(payload, &sequence, sizeof sequence);
  std::memcpy(payload + bytes - sizeof sequence, &sequence, sizeof sequence);
  const std::int64_t sent_at = now();
  std::memcpy(payload + sizeof sequence, &sent_at, sizeof sent_at);
  return sent_at;
}

// The time comes last: a take may return without having touched the message.
inline Message read_stamps(const std::uint8_t* payload, std::size_t bytes) {
  Message message;
  std::uint64_t tail = 0;
  std::memcpy(&message.sequence, payload, sizeof message.sequence);
  std::memcpy(&message.sent_at, payload + sizeof message.sequence, sizeof message.sent_at);
  std::memcpy(&tail, payload + bytes - sizeof tail, sizeof tail);
  message.torn = tail != message.sequence;
  message.received_at = now();
  return message;
}

// What a payload is filled with before the first message.
inline void fill(std::uint8_t* payload, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) payload[i] = static_cast<std::uint8_t>(i % 251);
}

}  // namespace peer
