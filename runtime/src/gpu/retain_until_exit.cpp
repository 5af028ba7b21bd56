// SPDX-License-Identifier: Apache-2.0
#include "gpu/retain_until_exit.hpp"

#include <deque>
#include <mutex>
#include <utility>

namespace ligament::gpu {
namespace {

struct Retained {
  std::mutex mutex;
  std::deque<std::shared_ptr<void>> all;
};
Retained& retained() {
  static auto* const only = new Retained;
  return *only;
}

}  // namespace

void retain_until_exit(std::shared_ptr<void> what) {
  const std::lock_guard lock(retained().mutex);
  retained().all.push_back(std::move(what));
}

std::size_t retained_until_exit() {
  const std::lock_guard lock(retained().mutex);
  return retained().all.size();
}

}  // namespace ligament::gpu
