// SPDX-License-Identifier: Apache-2.0
/// \file What passed on the cores' streams, what waited there, and which core kept it waiting.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <ligament/fpga_design.hpp>
#include <vector>

namespace ligament::fpga::detail {

/// 64 counters, one per bit of the words that are added. They lie across words: the first has the
/// lowest digit of all 64. So a word costs two steps on average, however many bits it has.
class BitCounts {
 public:
  void add(std::uint64_t word) {
    for (std::size_t digit = 0; word != 0; ++digit) {
      const std::uint64_t carry = digits_[digit] & word;
      digits_[digit] ^= word;
      word = carry;
    }
  }
  [[nodiscard]] std::uint64_t of(std::size_t bit) const {
    std::uint64_t count = 0;
    for (std::size_t digit = 0; digit < digits_.size(); ++digit) {
      count |= (digits_[digit] >> bit & 1U) << digit;
    }
    return count;
  }

 private:
  std::array<std::uint64_t, 64> digits_{};  ///< no clock turns often enough to fill them
};

/// Counts per probe and per node, over all resets.
class ProbeCounts {
 public:
  ProbeCounts(std::size_t words, const std::vector<NodePlan>& nodes);

  /// A word of probes in this cycle. `inside`: a message has begun there and not ended.
  void observe(std::size_t word, std::uint64_t valid, std::uint64_t ready, std::uint64_t inside) {
    Word& counts = words_[word];
    counts.stalled_before = counts.stalled;
    counts.stalled = valid & ~ready;
    counts.wanted = (ready | inside) & ~valid;
    counts.inside = inside;
    counts.beats.add(valid & ready);
    counts.stalls.add(counts.stalled);
    counts.gaps.add(inside & ~valid);
  }
  /// When all words of the cycle are known.
  void judge();

  [[nodiscard]] StreamFigures stream(std::size_t probe) const;
  [[nodiscard]] const std::vector<PaceFigures>& paces() const { return paces_; }

 private:
  struct Word {
    std::uint64_t stalled = 0, wanted = 0, inside = 0;  ///< in this cycle
    std::uint64_t stalled_before = 0;                   ///< in the one before
    BitCounts beats, stalls, gaps;
  };
  /// The streams of a node in one word.
  struct Piece {
    std::size_t node = 0;
    std::size_t word = 0;
    std::uint64_t inputs = 0;
    std::uint64_t outputs = 0;
  };

  std::vector<Word> words_;
  std::vector<Piece> pieces_;  ///< by node
  std::vector<PaceFigures> paces_;
};

}  // namespace ligament::fpga::detail
