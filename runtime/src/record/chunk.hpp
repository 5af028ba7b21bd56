// SPDX-License-Identifier: Apache-2.0
/// \file Messages that go into the file together. A large one stays in the pool, held, and is
/// written from where it lies; a small one is copied, since holding it would cost its publisher a
/// block for as long.
#pragma once

#include <sys/uio.h>

#include <cstdint>
#include <limits>
#include <map>
#include <vector>

#include "ligament/detail/pool.hpp"
#include "record/mcap.hpp"

namespace ligament::record {

/// Payloads up to this size are copied: a few microseconds, once. With few samples held, a chunk of
/// small ones would be too small to be worth a system call.
inline constexpr std::size_t copied_up_to = std::size_t{32} << 10;

class Chunk {
 public:
  /// Said before the first message that needs them.
  void add(const Schema& schema) { schemas_.push_back(schema); }
  void add(const Channel& channel) { channels_.push_back(channel); }
  void add_copied(const MessageFields& fields, std::span<const std::byte> payload);
  /// Held until this object ends, or copied.
  void add(const MessageFields& fields, pool::HeldSample&& sample);

  /// Empty again; what it holds goes back. Its memory stays, touched, for the next messages.
  void clear();

  /// Of records of messages: what the chunk's record will hold.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] bool is_empty() const { return messages_.empty() && channels_.empty(); }
  [[nodiscard]] std::size_t messages() const { return messages_.size(); }
  [[nodiscard]] std::size_t held() const { return held_.size(); }
  [[nodiscard]] const std::vector<Schema>& schemas() const { return schemas_; }
  [[nodiscard]] const std::vector<Channel>& channels() const { return channels_; }

  /// Where a channel's messages are: (log time, offset within the chunk's records).
  using Index = std::map<std::uint16_t, std::vector<std::pair<std::uint64_t, std::uint64_t>>>;
  struct Layout {
    std::vector<iovec> pieces;  ///< valid while the chunk is not changed
    Index index;
    std::uint64_t first_time = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t last_time = 0;
  };
  /// In the order of their log times: topics are taken from in turn, each with what it has.
  [[nodiscard]] Layout layout();

 private:
  struct Entry {
    MessageFields fields;
    std::size_t at = 0;           ///< of its record's start in small_
    std::size_t small_bytes = 0;  ///< record header and fields, and the payload if it was copied
    std::span<const std::byte> held;
  };
  void put_entry(const MessageFields& fields, std::size_t size);

  std::vector<Schema> schemas_;
  std::vector<Channel> channels_;
  std::vector<Entry> messages_;
  Bytes small_;
  std::vector<pool::HeldSample> held_;
  std::size_t bytes_ = 0;
};

}  // namespace ligament::record
