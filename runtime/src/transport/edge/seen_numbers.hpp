// SPDX-License-Identifier: Apache-2.0
/// \file Which of a writer's sample numbers have been seen, in whatever order they came.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

namespace ligament::edge {

/// Runs of numbers without a gap. Of more gaps than `most_gaps` the oldest count as seen.
class SeenNumbers {
 public:
  static constexpr std::size_t most_gaps = 64;

  struct News {
    bool is_new = false;
    std::uint64_t gap = 0;  ///< numbers between it and the newest before it; 0 for an older one
  };
  /// From now on the number has been seen.
  News add(std::int64_t number) {
    if (runs_.empty() || number > runs_.back().last) {
      return {true, append(number)};
    }
    const auto run = std::lower_bound(runs_.begin(), runs_.end(), number,
                                      [](const Run& one, std::int64_t n) { return one.last < n; });
    if (run->first <= number) {
      return {};
    }
    insert(run, number);
    return {true, 0};
  }

 private:
  struct Run {
    std::int64_t first = 0;
    std::int64_t last = 0;
  };

  std::uint64_t append(std::int64_t number) {
    if (runs_.empty()) {
      runs_.push_back({number, number});
      return 0;
    }
    const auto gap = static_cast<std::uint64_t>(number - runs_.back().last - 1);
    if (gap == 0) {
      runs_.back().last = number;
      return 0;
    }
    runs_.push_back({number, number});
    forget_gaps();
    return gap;
  }

  /// Into the gap before `run`.
  void insert(std::vector<Run>::iterator run, std::int64_t number) {
    const bool follows = run != runs_.begin() && std::prev(run)->last == number - 1;
    if (run->first == number + 1) {
      run->first = number;
      if (follows) {
        run->first = std::prev(run)->first;
        runs_.erase(std::prev(run));
      }
    } else if (follows) {
      std::prev(run)->last = number;
    } else {
      runs_.insert(run, {number, number});
      forget_gaps();
    }
  }

  void forget_gaps() {
    if (runs_.size() > most_gaps + 1) {
      runs_[1].first = runs_[0].first;
      runs_.erase(runs_.begin());
    }
  }

  std::vector<Run> runs_;  ///< ascending
};

}  // namespace ligament::edge
