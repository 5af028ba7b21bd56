// SPDX-License-Identifier: Apache-2.0
#include "gpu/retain_until_exit.hpp"

#include <deque>
#include <mutex>
#include <utility>

namespace ligament::gpu {

void retain_until_exit(std::shared_ptr<void> what) {
  static auto* const kept = new std::deque<std::shared_ptr<void>>;
  static auto* const mutex = new std::mutex;
  const std::lock_guard lock(*mutex);
  kept->push_back(std::move(what));
}

}  // namespace ligament::gpu
