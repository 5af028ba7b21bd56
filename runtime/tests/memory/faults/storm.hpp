// SPDX-License-Identifier: Apache-2.0
/// \file Random kills under load: victims live many lives beside a crew, and are killed or stopped
/// at any moment; how long until their blocks are back is measured.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "faults/crew.hpp"

namespace ligament::pool::test {

enum class Prey { publisher, subscriber, both, joining };

inline const char* name_of(Prey prey) {
  static constexpr std::array<const char*, 4> names{"publisher", "subscriber", "both", "joining"};
  return names[static_cast<std::size_t>(prey)];
}

/// How one victim's blocks came back. The system's part of the time: how long the victim took to
/// die, and how long survivors were ready to run but had no core.
struct Return {
  std::int64_t at_ns = 0;  ///< when it was killed
  std::int64_t back_ns = 0;
  std::int64_t buried_ns = 0;
  std::int64_t publisher_waited_ns = 0;    ///< all its threads
  std::int64_t subscribers_waited_ns = 0;  ///< all threads of all of them

  /// Without what the system took: the death, or the wait for a core.
  [[nodiscard]] std::int64_t own_ns() const {
    return std::max<std::int64_t>(back_ns - std::max(buried_ns, publisher_waited_ns), 0);
  }
};

/// `share` of the times are at most this; 0 without any.
inline double ms_of(std::vector<std::int64_t>& times, double share) {
  if (times.empty()) {
    return 0;
  }
  std::sort(times.begin(), times.end());
  const auto at = static_cast<std::size_t>(share * static_cast<double>(times.size() - 1));
  return static_cast<double>(times[at]) / 1e6;
}

class Times {
 public:
  void add(const Return& one) {
    all_.push_back(one.back_ns);
    own_.push_back(one.own_ns());
    slowest_.push_back(one);
    const auto slower = [](const Return& a, const Return& b) { return a.back_ns > b.back_ns; };
    std::sort(slowest_.begin(), slowest_.end(), slower);
    slowest_.resize(std::min<std::size_t>(slowest_.size(), 10));
  }
  [[nodiscard]] std::size_t size() const { return all_.size(); }
  [[nodiscard]] const std::vector<Return>& slowest() const { return slowest_; }
  [[nodiscard]] double ms(double share) { return ms_of(all_, share); }
  [[nodiscard]] double own_ms(double share) { return ms_of(own_, share); }

 private:
  std::vector<std::int64_t> all_;
  std::vector<std::int64_t> own_;
  std::vector<Return> slowest_;
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
  [[nodiscard]] std::string kill_and_measure(Worker& victim, Prey prey);
  [[nodiscard]] std::int64_t up_to(std::int64_t most) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(most));
  }

  Crew& crew_;
  std::mt19937_64 random_;
  Times times_;
};

}  // namespace ligament::pool::test
