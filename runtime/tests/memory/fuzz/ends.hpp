// SPDX-License-Identifier: Apache-2.0
/// \file Honest ends for the fuzz targets: a writer and a reader linked as the domain links them,
/// and payloads that can be recognised.
#pragma once

#include <span>

#include "machine.hpp"
#include "memory/reader.hpp"
#include "memory/waiter.hpp"
#include "memory/writer.hpp"

namespace ligament::pool::fuzz {

inline constexpr std::int32_t own_pid = 1;
inline constexpr std::int32_t hostile_pid = 2;
inline constexpr std::uint64_t own_nonce = 0x1111;
inline constexpr std::uint64_t hostile_nonce = 0x2222;

inline EndpointDescription describe(std::uint32_t depth, std::uint32_t max_held) {
  EndpointDescription description;
  description.topic = "/t";
  description.type_name = "t";
  description.qos.depth = depth;
  description.qos.max_held = max_held;
  return description;
}

inline void fill(std::span<std::byte> payload, std::uint64_t number) {
  for (std::size_t i = 0; i < payload.size(); ++i) {
    payload[i] = static_cast<std::byte>(number * 31 + i);
  }
}
inline bool is_whole(std::span<const std::byte> payload, std::uint64_t number) {
  for (std::size_t i = 0; i < payload.size(); ++i) {
    if (payload[i] != static_cast<std::byte>(number * 31 + i)) {
      return false;
    }
  }
  return true;
}

inline os::ForeignMemory where(std::int32_t pid, const os::SharedMemory& memory) {
  return {pid, static_cast<std::uint32_t>(memory.fd.get()), memory.inode, memory.mapping.size()};
}

/// Serves `reader`, and lets it take; the writer's and the reader's process of matching.cpp in one.
inline void link_honest(WriterState& writer, ReaderState& reader, const Bells* bells = nullptr) {
  auto served = std::make_unique<ReaderLink>();
  served->reader = reader.id;
  served->max_held = reader.description.qos.max_held;
  served->segment = std::move(*os::map_foreign(where(own_pid, reader.segment), {}));
  if (bells != nullptr) {
    served->bell_page = std::make_shared<const os::Mapping>(
        std::move(*os::map_foreign(where(own_pid, bells->page()), {.peers_write = true})));
    served->bell_slot = reader.waiter->bell_slot;
  }
  expect(writer.link(std::move(served), false, reader.description.qos.depth), "a reader is linked");
  auto seen = WriterLink::open(
      {own_nonce, writer.id, writer.description.type_hash, where(own_pid, writer.segment)});
  expect(seen.has_value(), "an honest writer can be opened");
  (*seen)->map_chunks();
  std::uint64_t start = 0;
  std::uint64_t granted = 0;
  expect((*seen)->find_match(reader.id, start, granted), "an honest writer says that it is linked");
  expect(reader.link(std::move(*seen), start, granted), "there is room for an honest writer");
}

}  // namespace ligament::pool::fuzz
