// SPDX-License-Identifier: Apache-2.0
/// \file The CPU's part where there are two nodes: what it sends, what must come back.
#pragma once

#include <algorithm>
#include <vector>

#include "runs.hpp"

namespace uma {

/// cache: an exchange at a time. concurrent: two may be in flight, as what the first answer allows
/// is sent while the second is worked on.
class CpuPart {
 public:
  explicit CpuPart(const Setup& setup) : setup_(setup), own_(setup.size.words()) {}

  void begin() {
    step_ = 0;
    sent_ = 0;
    fill(own_);
    rest_ = sum_of(own_) - own_[0];
    last_ = own_;  // both tiles begin alike, so the GPU's is known
  }
  [[nodiscard]] bool is_done() const { return step_ == setup_.steps; }
  [[nodiscard]] bool may_send() const {
    return sent_ < setup_.steps && sent_ < step_ + setup_.history();
  }

  /// The next message. In a callback that has called answered(), whose words are still there.
  void make(Words out) {
    if (setup_.workload == Workload::cache) {
      work_on_matrix(out);
    } else if (sent_ == 0) {
      std::copy(own_.begin(), own_.end(), out.begin());
    } else {
      work_on_tile(last_, out, setup_.size.cpu_repeats);
    }
    ++sent_;
  }

  void answered(ConstWords answer) {
    ++step_;
    last_ = answer;
    if (setup_.workload == Workload::cache) {
      if (sum_of(answer) != expected_) {
        give_up("the GPU node's sum is wrong in step " + std::to_string(step_));
      }
    } else if (is_done()) {
      check_tile(answer);
    }
  }

 private:
  /// Blocks of a publisher that lends from the pool keep their content, and all of them get the
  /// matrix in the warm-up; so the CPU touches nothing but its address, as without ROS. A message
  /// that is copied is a copy of the matrix.
  void work_on_matrix(Words out) {
    const bool is_kept = setup_.way == Way::shared || setup_.way == Way::handed_over;
    if (!is_kept || out[out.size() - 1] != out.size()) {
      std::copy(own_.begin(), own_.end(), out.begin());
    }
    out[0] = own_[0];
    work_on_one_address(out, setup_.size.cpu_repeats);
    own_[0] = out[0];
    expected_ = rest_ + out[0];
  }

  void check_tile(ConstWords tile) const {
    for (const std::size_t i : {std::size_t{0}, tile.size() - 1}) {
      if (tile[i] != ring_after(setup_, own_[i])[1]) {
        give_up("the GPU node's last tile is wrong");
      }
    }
  }

  Setup setup_;
  std::vector<std::uint32_t> own_;
  ConstWords last_;
  std::int64_t step_ = 0;
  std::int64_t sent_ = 0;
  std::uint32_t rest_ = 0;
  std::uint32_t expected_ = 0;
};

}  // namespace uma
