// SPDX-License-Identifier: Apache-2.0
/// \file What housekeeping keeps of the policies that time decides: deadline and liveliness.
/// All times are CLOCK_MONOTONIC, ns; those that a peer wrote are never believed to lie ahead.
#pragma once

#include <algorithm>
#include <cstdint>

#include "ligament/detail/pool.hpp"

namespace ligament::pool {

/// A time that a peer (or the data path) writes into a word. Unchanged, it is as old as when it was
/// first seen, also if it says otherwise; 0: nothing yet.
class Activity {
 public:
  std::int64_t look(std::uint64_t word, std::int64_t now) {
    if (word != seen_) {
      seen_ = word;
      at_ns_ = static_cast<std::int64_t>(std::min(word, static_cast<std::uint64_t>(now)));
    }
    return at_ns_;
  }

 private:
  std::uint64_t seen_ = 0;
  std::int64_t at_ns_ = 0;
};

/// Counts the periods that pass without a sample, from the first sample on.
class DeadlineCount {
 public:
  /// New misses; `newest`: when the newest sample was published, 0 for none yet.
  std::uint64_t count(std::int64_t period, std::int64_t newest, std::int64_t now);
  /// When to look again.
  [[nodiscard]] std::int64_t due(std::int64_t period, std::int64_t now) const {
    return saturating(base_ns_ == 0 ? now : base_ns_, period);
  }
  [[nodiscard]] bool has_begun() const { return base_ns_ != 0; }
  [[nodiscard]] static std::int64_t saturating(std::int64_t time, std::int64_t span) {
    return span > no_deadline - time ? no_deadline : time + span;
  }

 private:
  std::int64_t base_ns_ = 0;  ///< the newest sample, or the newest miss
};

/// How alive a writer is to one of its readers, or to itself (manual-by-topic).
struct Liveliness {
  enum class State : std::uint8_t { unknown, alive, not_alive } state = State::unknown;
  bool manual = false;
  std::int64_t lease_ns = 0;   ///< offered; 0: forever
  std::int64_t linked_ns = 0;  ///< its process was alive then
  Activity published;
  Activity asserted;
  Activity process;

  /// When to look again, given the newest liveliness assertion.
  [[nodiscard]] std::int64_t due(std::int64_t sign, std::int64_t now) const {
    return DeadlineCount::saturating(state == State::alive ? sign : now, lease_ns);
  }
};

}  // namespace ligament::pool
