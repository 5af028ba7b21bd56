// SPDX-License-Identifier: Apache-2.0
/// \file Which messages all workers have answered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>

namespace ligament::nodes::parallel {

/// Counts answers by stamp. A worker answers each message once; what it sends again changes
/// nothing.
class Join {
 public:
  explicit Join(std::size_t workers) : workers_(workers) {}

  /// True: it was the last that was missing. Older messages that still miss some are given up: the
  /// workers answer in order, so what is missing will not come.
  bool add(std::int64_t stamp_ns, std::uint64_t worker) {
    if (stamp_ns <= done_ns_) {
      return false;
    }
    auto& answered = answered_[stamp_ns];
    answered.insert(worker);
    if (answered.size() < workers_) {
      return false;
    }
    const auto last = answered_.find(stamp_ns);
    given_up_ += static_cast<std::uint64_t>(std::distance(answered_.begin(), last));
    answered_.erase(answered_.begin(), std::next(last));
    done_ns_ = stamp_ns;
    return true;
  }

  [[nodiscard]] std::uint64_t given_up() const { return given_up_; }

 private:
  std::size_t workers_;
  std::int64_t done_ns_ = -1;
  std::uint64_t given_up_ = 0;
  std::map<std::int64_t, std::set<std::uint64_t>> answered_;
};

}  // namespace ligament::nodes::parallel
