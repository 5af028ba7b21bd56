// SPDX-License-Identifier: Apache-2.0
/// \file The ring and the hold: how a block passes from a writer to readers that may stop or die
/// at any instruction. Works on bare words, so tests run all parties as threads over one memory.
///
/// The whole argument for memory safety is two sequentially consistent pairs:
///   writer:  EXCHANGE ring entry (old block leaves the ring)  then  READ all holds
///   reader:  WRITE hold (this block)                          then  READ ring entry again
/// In the one total order either the writer's reads come after the reader's write, and it sees the
/// hold; or the reader's second read comes after the exchange, and it sees that the entry changed
/// and lets go without having touched the block. No case is left, so no fences are needed.
#pragma once

#include <cstdint>
#include <span>

#include "memory/crash_point.hpp"
#include "memory/layout.hpp"

namespace ligament::pool {

/// The writer's end. Holds the last `capacity` samples.
class RingWriter {
 public:
  RingWriter(layout::Word* entries, std::uint32_t capacity)
      : entries_(entries), capacity_(capacity) {}

  [[nodiscard]] std::uint64_t next_sequence() const { return sequence_ + 1; }
  [[nodiscard]] std::uint64_t sequence() const { return sequence_; }
  [[nodiscard]] std::uint32_t capacity() const { return capacity_; }
  /// Of a sample that the ring still has. Relaxed: nobody else writes there.
  [[nodiscard]] std::uint32_t block_of(std::uint64_t sequence) const {
    const auto behind = static_cast<std::uint32_t>(sequence_ + 1 - sequence);
    const std::uint32_t place = index_ >= behind ? index_ - behind : index_ + capacity_ - behind;
    return layout::word_block(entries_[place].load(std::memory_order_relaxed));
  }

  /// Publishes `block` and returns the word it replaced (0: none yet).
  std::uint64_t push(std::uint32_t block) {
    ++sequence_;
    // seq_cst: (a) as release, the sample's bytes are visible to whoever reads this entry (partner:
    // RingCursor::claim); (b) ordered before the reads of holds (partner: claim's store) and of
    // bells (partner: Waiter's announcement that it sleeps).
    const std::uint64_t old =
        entries_[index_].exchange(layout::make_word(sequence_, block), std::memory_order_seq_cst);
    LIGAMENT_CRASH_POINT("publish.exchanged");
    index_ = index_ + 1 == capacity_ ? 0 : index_ + 1;
    return old;
  }

 private:
  layout::Word* entries_;
  std::uint32_t capacity_;
  std::uint32_t index_ = 0;
  std::uint64_t sequence_ = 0;
};

struct Claim {
  enum class Result : std::uint8_t { nothing, held, corrupt } result = Result::nothing;
  std::uint32_t block = 0;
  std::uint64_t sequence = 0;
  std::uint64_t lost = 0;  ///< samples overwritten or skipped on the way; also without a sample
};

/// A reader's end for one writer. `depth` is the reader's own keep-last.
class RingCursor {
 public:
  RingCursor(const layout::Word* entries, std::uint32_t capacity, std::uint32_t depth,
             std::uint64_t next)
      : entries_(entries),
        capacity_(capacity),
        depth_(depth),
        index_(static_cast<std::uint32_t>((next - 1) % capacity)),
        next_(next) {}

  [[nodiscard]] std::uint64_t next() const { return next_; }

  /// seq_cst: also the second half of the sleeping handshake (partner: RingWriter::push).
  [[nodiscard]] bool has_data() const {
    return layout::word_ahead(entries_[index_].load(std::memory_order_seq_cst), next_) >= 0;
  }

  /// Of the next sample, if it is there and nothing overwrites it: a hint what to fetch.
  [[nodiscard]] std::uint32_t likely_block() const {
    return layout::word_block(entries_[index_].load(std::memory_order_relaxed));
  }

  /// What comes next is behind `newest`, unless it is already.
  void pass(std::uint64_t newest) {
    if (newest >= next_ && newest != UINT64_MAX) {
      skip(newest + 1 - next_);
    }
  }

  /// Takes hold of the next sample's block by writing `hold`, which must be free (0).
  Claim claim(layout::Word& hold, std::uint64_t tag, const layout::Word& head) {
    Claim claim;
    // A writer that laps us between the two reads makes progress, we do not; after so many laps
    // in a row we report nothing, and has_data() still says that there is something.
    for (int attempt = 0; attempt < 64; ++attempt) {
      const std::uint64_t seen = entries_[index_].load(std::memory_order_acquire);
      const std::int64_t ahead = layout::word_ahead(seen, next_);
      if (ahead < 0) {
        return claim;  // not published yet
      }
      if (ahead > 0) {
        if (ahead % capacity_ != 0) {
          claim.result = Claim::Result::corrupt;
          return claim;
        }
        claim.lost += skip(static_cast<std::uint64_t>(ahead) - capacity_ + 1);
        continue;
      }
      if (const std::uint64_t late = backlog(head); late != 0) {
        claim.lost += skip(late);
        continue;
      }
      LIGAMENT_CRASH_POINT("take.entry_read");
      hold.store(layout::make_word(tag, layout::word_block(seen)), std::memory_order_seq_cst);
      LIGAMENT_CRASH_POINT("take.hold_written");
      // Partner: the exchange in RingWriter::push; see the head of this file.
      if (entries_[index_].load(std::memory_order_seq_cst) == seen) {
        claim.result = Claim::Result::held;
        claim.block = layout::word_block(seen);
        claim.sequence = next_;
        skip(1);
        LIGAMENT_CRASH_POINT("take.held");
        return claim;
      }
      hold.store(0, std::memory_order_release);
      LIGAMENT_CRASH_POINT("take.undone");
    }
    return claim;
  }

 private:
  std::uint64_t skip(std::uint64_t samples) {
    next_ += samples;
    index_ = static_cast<std::uint32_t>(samples == 1 ? (index_ + 1 == capacity_ ? 0 : index_ + 1)
                                                     : (index_ + samples) % capacity_);
    return samples;
  }

  /// Samples to pass over so that at most `depth_` are pending (keep-last of this reader).
  [[nodiscard]] std::uint64_t backlog(const layout::Word& head) const {
    if (depth_ >= capacity_) {
      return 0;
    }
    const std::uint32_t later =
        index_ + depth_ >= capacity_ ? index_ + depth_ - capacity_ : index_ + depth_;
    const std::uint64_t word = entries_[later].load(std::memory_order_acquire);
    if (layout::word_ahead(word, next_ + depth_) < 0) {
      return 0;
    }
    // `head` is written after the entry, so it may lag by one; and it is another process's word.
    const std::uint64_t newest = head.load(std::memory_order_acquire);
    const std::uint64_t wanted = newest - depth_ + 1 - next_;
    return wanted >= 1 && wanted <= capacity_ ? wanted : 1;
  }

  const layout::Word* entries_;
  std::uint32_t capacity_;
  std::uint32_t depth_;
  std::uint32_t index_;
  std::uint64_t next_;
};

/// One reader's hold words, as a writer reads them.
struct HoldRow {
  const layout::Word* words = nullptr;
  std::uint32_t count = 0;
};

}  // namespace ligament::pool
