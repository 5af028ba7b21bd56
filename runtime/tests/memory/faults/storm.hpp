// SPDX-License-Identifier: Apache-2.0
/// \file Random kills under load: victims live many lives beside a crew, and are killed or stopped
/// at any moment; how long until their blocks are back is measured.
#pragma once

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "faults/crew.hpp"

namespace ligament::pool::test {

enum class Prey { publisher, subscriber, both, joining };

inline const char* name_of(Prey prey) {
  switch (prey) {
    case Prey::publisher:
      return "publisher";
    case Prey::subscriber:
      return "subscriber";
    case Prey::both:
      return "both";
    case Prey::joining:
      break;
  }
  return "joining";
}

/// Times in ns, sorted on demand.
class Times {
 public:
  void add(std::int64_t ns) { all_.push_back(ns); }
  [[nodiscard]] std::size_t size() const { return all_.size(); }
  /// `share` of the times are at most this; 0 without any.
  [[nodiscard]] double ms(double share) {
    if (all_.empty()) {
      return 0;
    }
    std::sort(all_.begin(), all_.end());
    const auto at = static_cast<std::size_t>(share * static_cast<double>(all_.size() - 1));
    return static_cast<double>(all_[at]) / 1e6;
  }

 private:
  std::vector<std::int64_t> all_;
};

/// Makes victims and ends them.
class Storm {
 public:
  Storm(Crew& crew, unsigned seed) : crew_(crew), random_(seed) {}

  /// One victim: lives for a random while, is killed, and must cost nobody anything. Empty, or
  /// what is wrong.
  [[nodiscard]] std::string kill_one(Prey prey);
  /// The same, stopped for a random while before that.
  [[nodiscard]] std::string stop_and_kill_one(Prey prey);
  [[nodiscard]] Times& times() { return times_; }

 private:
  [[nodiscard]] std::unique_ptr<Worker> start(Prey prey);
  void let_live(const Worker& victim, Prey prey);
  [[nodiscard]] std::string kill_and_measure(Worker& victim);
  [[nodiscard]] std::int64_t up_to(std::int64_t most) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(most));
  }

  Crew& crew_;
  std::mt19937_64 random_;
  Times times_;
};

}  // namespace ligament::pool::test
