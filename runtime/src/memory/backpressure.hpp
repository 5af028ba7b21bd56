// SPDX-License-Identifier: Apache-2.0
/// \file Back-pressure of keep-all: how far each subscription is, what a publish waits on, and the
/// subscription's half of the wake-up. Works on bare words, as `ring.hpp` does.
///
///   publisher:     B1 waiting + 1   B2 READ next     B2' FUTEX_WAIT on next
///   subscription:  B3 WRITE next    B4 READ waiting  not 0: FUTEX_WAKE on next
/// B1 to B4 are sequentially consistent: either B4 sees that somebody waits, or B2 sees that the
/// cursor has moved. Between B2 and B2' the kernel compares once more.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <utility>

#include "memory/crash_point.hpp"
#include "memory/layout.hpp"
#include "memory/os/system.hpp"

namespace ligament::pool {

/// What the futex of a word compares: its low half (little-endian). A sleep needs no more than a
/// read-only mapping.
[[nodiscard]] inline std::atomic<std::uint32_t>* low_half(const layout::Word& word) {
  return reinterpret_cast<std::atomic<std::uint32_t>*>(const_cast<layout::Word*>(&word));
}

/// B3 and B4: a subscription has passed all numbers below `next`.
inline void tell_cursor(layout::Word& word, std::uint64_t next, const layout::Word& waiting) {
  word.store(next, std::memory_order_seq_cst);
  LIGAMENT_CRASH_POINT("take.cursor_written");
  if (waiting.load(std::memory_order_seq_cst) != 0) {
    LIGAMENT_CRASH_POINT("take.before_wake");
    os::futex_wake_all(low_half(word));
  }
}

/// All rows are other writers': this one will not be taken from before one of them has gone.
[[nodiscard]] bool has_no_room_for(std::uint64_t writer,
                                   const std::array<layout::CursorRow, layout::max_ends>& cursors);

/// One subscription, as a keep-all writer sees it. Guarded by the writer's lock; `cursors` is the
/// subscription's own memory and may say anything.
class Pace {
 public:
  using Cursors = std::array<layout::CursorRow, layout::max_ends>;

  /// It will take from `writer` at `first`, and say so in one of these rows.
  void start(const Cursors& cursors, std::uint64_t writer, std::uint64_t first) {
    cursors_ = &cursors;
    writer_ = writer;
    next_ = first;
  }

  /// Reads the cursor (B2). True if it has moved since the last look. `head`: newest published.
  bool look(std::uint64_t head);
  [[nodiscard]] bool has_room(std::uint64_t sequence, std::uint32_t capacity) const {
    return next() + capacity > sequence;
  }
  /// Of one that rests: as if it had taken all that there was at the last look.
  [[nodiscard]] std::uint64_t next() const { return rests_until_ != 0 ? rests_until_ : next_; }

  /// Whether the reader's word `working` has changed since the last look: its process works for it.
  [[nodiscard]] bool has_worked(const layout::Word& working) {
    // relaxed: nothing else is read because of it.
    const std::uint64_t now = working.load(std::memory_order_relaxed);
    return std::exchange(worked_, now) != now;
  }

  /// What to sleep on (B2'), and the value that was seen there; null: no cursor yet.
  [[nodiscard]] std::atomic<std::uint32_t>* word() const {
    return row_ == nullptr ? nullptr : low_half(row_->next);
  }
  [[nodiscard]] std::uint32_t seen() const { return static_cast<std::uint32_t>(raw_); }

  bool own_executor = false;       ///< the thread that would take is the one that publishes
  bool stalled = false;            ///< a publish has waited for it in vain
  bool dropped = false;            ///< it takes from this writer no more
  bool refused = false;            ///< it has max_ends writers, and this one is none of them
  std::int64_t blocked_at_ns = 0;  ///< since when a publish waits for it to move; 0: none does
  unsigned sleepers = 0;           ///< threads in B2'

  [[nodiscard]] bool is_waited_for() const {
    return !own_executor && !stalled && !dropped && !refused;
  }

 private:
  const Cursors* cursors_ = nullptr;
  const layout::CursorRow* row_ = nullptr;
  std::uint64_t writer_ = 0;
  std::uint64_t next_ = 1;         ///< the largest value seen that can be true
  std::uint64_t rests_until_ = 0;  ///< it rests, and this is behind `head` of the last look; else 0
  std::uint64_t raw_ = 0;          ///< the value seen
  std::uint64_t worked_ = 0;
};

}  // namespace ligament::pool
