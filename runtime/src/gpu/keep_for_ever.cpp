// SPDX-License-Identifier: Apache-2.0
#include "gpu/keep_for_ever.hpp"

#include <deque>
#include <mutex>
#include <utility>

namespace ligament::gpu {

void keep_for_ever(std::shared_ptr<void> what) {
  static auto* const kept = new std::deque<std::shared_ptr<void>>;
  static auto* const mutex = new std::mutex;
  const std::lock_guard lock(*mutex);
  kept->push_back(std::move(what));
}

}  // namespace ligament::gpu
