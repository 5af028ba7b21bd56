// SPDX-License-Identifier: Apache-2.0
#include "ligament/detail/unmap_watch.hpp"

#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

namespace ligament::pool {
namespace {

struct Watches {
  std::mutex mutex;
  std::vector<UnmapWatch*> all;
  /// Relaxed: a watch is made before the memory that it is interested in is handed to its owner.
  std::atomic<std::size_t> count{0};
};

/// Never destroyed: memory is unmapped until the very end of the process.
Watches& watches() {
  static auto* const only = new Watches;
  return *only;
}

}  // namespace

UnmapWatch::UnmapWatch(Callback callback) : callback_(std::move(callback)) {
  Watches& known = watches();
  const std::lock_guard lock(known.mutex);
  known.all.push_back(this);
  known.count.store(known.all.size(), std::memory_order_relaxed);
}

UnmapWatch::~UnmapWatch() {
  Watches& known = watches();
  const std::lock_guard lock(known.mutex);
  std::erase(known.all, this);
  known.count.store(known.all.size(), std::memory_order_relaxed);
}

void tell_unmap_watches(std::span<const std::byte> memory) {
  Watches& known = watches();
  if (known.count.load(std::memory_order_relaxed) == 0) {
    return;
  }
  const std::lock_guard lock(known.mutex);
  for (const UnmapWatch* watch : known.all) {
    watch->callback_(memory);
  }
}

}  // namespace ligament::pool
