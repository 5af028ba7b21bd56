// SPDX-License-Identifier: Apache-2.0
#include "node/hand_over.hpp"

#include <algorithm>

namespace ligament::detail {

HandOver& HandOver::of_process() {
  static HandOver one;
  return one;
}

std::shared_ptr<HandOver::Publisher> HandOver::find(std::uint64_t publisher) {
  if (publishers_.size() >= most_publishers && !publishers_.contains(publisher)) {
    publishers_.clear();
  }
  auto& found = publishers_[publisher];
  if (found == nullptr) {
    found = std::make_shared<Publisher>();
  }
  return found;
}

bool HandOver::claim(std::uint64_t publisher, std::uint64_t sequence) {
  std::shared_ptr<Publisher> found;
  {
    const std::lock_guard lock(mutex_);
    found = find(publisher);
  }
  // Relaxed: the message itself came through the pool, which orders its bytes.
  return found->claimed[sequence % remembered].exchange(sequence, std::memory_order_relaxed) !=
         sequence;
}

bool HandOver::is_own(const pool::Domain& domain, std::uint64_t publisher) {
  const std::lock_guard lock(mutex_);
  const auto found = find(publisher);
  if (!found->is_looked_up) {
    const auto all = domain.endpoints();
    found->is_own = std::any_of(all.begin(), all.end(), [publisher](const auto& one) {
      return one.own && one.kind == pool::EndpointKind::writer && one.id == publisher;
    });
    found->is_looked_up = true;
  }
  return found->is_own;
}

}  // namespace ligament::detail
