// SPDX-License-Identifier: Apache-2.0
/// \file The streams of a session, without any socket or clock (spec/wire/xrce.md, section 3).
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "agent/message.hpp"

namespace ligament::xrce {

class BestEffortInput {
 public:
  /// False: older than the newest, or the same.
  [[nodiscard]] bool accept(std::uint16_t sequence);
  [[nodiscard]] std::uint64_t lost() const { return lost_; }

 private:
  std::uint16_t newest_ = 0xFFFF;
  std::uint64_t lost_ = 0;
};

/// Puts messages in order. What comes early is kept, so a message is copied only then.
class ReliableInput {
 public:
  enum class Verdict : std::uint8_t {
    now,      ///< the next one: process it, then ask `next_kept`
    kept,     ///< early; it is kept
    refused,  ///< known already, or too far ahead
  };
  [[nodiscard]] Verdict accept(std::uint16_t sequence, Bytes behind_header);
  /// The next message, if it came early. Valid until the next call of anything here.
  [[nodiscard]] std::optional<Bytes> next_kept();
  /// True: messages are lost, so a half-received one is none any more.
  [[nodiscard]] bool announce(std::uint16_t first, std::uint16_t last);
  [[nodiscard]] Acknack acknack(std::uint8_t stream) const;
  [[nodiscard]] std::uint64_t lost() const { return lost_; }

 private:
  struct Kept {
    bool is_there = false;
    std::vector<std::byte> bytes;
  };
  Kept& slot(std::uint16_t sequence) { return slots_[sequence % window]; }

  std::uint16_t next_ = 0;
  std::uint16_t announced_ = 0xFFFF;  ///< the newest that is known to exist
  std::uint64_t lost_ = 0;
  std::array<Kept, window> slots_;
};

/// Memory of a link, where a message is kept until it is acknowledged and from where it is sent: it
/// is not copied once more.
class LinkMemory {
 public:
  LinkMemory() = default;
  virtual ~LinkMemory() = default;
  LinkMemory(const LinkMemory&) = delete;
  LinkMemory& operator=(const LinkMemory&) = delete;
  [[nodiscard]] virtual std::span<std::byte> bytes() = 0;
  /// Now or again. One that cannot be sent is lost, as on any wire.
  virtual void send() = 0;
};

/// Keeps messages until they are acknowledged.
class ReliableOutput {
 public:
  [[nodiscard]] bool has_room() const { return held_.size() < window; }
  /// Keeps a message that is about to be sent; its header has this number.
  [[nodiscard]] std::uint16_t next() const { return next_; }
  struct Held {
    std::unique_ptr<LinkMemory> memory;  ///< null: in `bytes`
    std::vector<std::byte> bytes;
    std::int64_t sent_ns = 0;
    bool is_repeated = false;
  };
  Held& push(std::int64_t now_ns);
  /// Forgets what has arrived; appends what has to be sent again to `again`.
  void acknowledge(const Acknack& acknack, std::int64_t now_ns, std::vector<Held*>& again);
  /// When a heartbeat is due; nothing while there is nothing to acknowledge.
  [[nodiscard]] std::optional<std::int64_t> heartbeat_due_ns() const;
  [[nodiscard]] Heartbeat heartbeat(std::uint8_t stream, std::int64_t now_ns);

 private:
  std::uint16_t next_ = 0;
  std::deque<Held> held_;  ///< `next_ - held_.size()` to `next_ - 1`
  std::int64_t pause_ns_ = 100'000'000;
  std::int64_t due_ns_ = 0;
  std::int64_t round_trip_ns_ = 0;  ///< smoothed; 0: not known
};

/// Fragments of one stream, put together.
class Assembly {
 public:
  /// The whole, when `is_last`; valid until the next call.
  [[nodiscard]] std::optional<Bytes> add(Bytes piece, bool is_last);
  void clear();
  /// Nothing has come of the next message yet.
  [[nodiscard]] bool is_empty() const { return is_whole_ || bytes_.empty(); }

 private:
  std::vector<std::byte> bytes_;
  bool is_whole_ = false;
  bool is_too_large_ = false;
};

}  // namespace ligament::xrce
