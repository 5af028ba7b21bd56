// SPDX-License-Identifier: Apache-2.0
#include "callbacks.hpp"

#include <pthread.h>

#include <algorithm>

namespace rmw_ligament_cpp {

Callbacks::~Callbacks() {
  stop_.store(true);
  waits_.wake();
  if (thread_.joinable()) {
    thread_.join();
  }
}

void Callbacks::set(Key key, rmw_event_callback_t callback, const void* user_data,
                    std::function<std::uint64_t()> arrived) {
  const std::lock_guard guard(mutex_);
  const auto known = entries_.find(key);
  const std::uint64_t told = known != entries_.end() ? known->second.told : 0;
  if (callback == nullptr) {
    if (known != entries_.end()) {
      known->second.callback = nullptr;  // what it has told is told
    }
  } else {
    entries_[key] = {callback, user_data, std::move(arrived), told};
    if (!thread_.joinable()) {
      thread_ = std::thread([this] { run(); });
    }
  }
  waits_.wake();  // also because the thread may have found us here, and not have looked
}

void Callbacks::forget(const void* entity) {
  const std::lock_guard guard(mutex_);
  std::erase_if(entries_, [entity](const auto& entry) { return entry.first.first == entity; });
  waits_.wake();
}

void Callbacks::run() {
  ::pthread_setname_np(::pthread_self(), "ligament-rmw");
  while (!stop_.load()) {
    waits_.wait([this] { return stop_.load() || has_news(); }, ligament::pool::no_deadline);
    tell();
  }
}

bool Callbacks::has_news() {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  // Somebody changes them, and wakes us when done.
  return lock.owns_lock() && std::any_of(entries_.begin(), entries_.end(), [](const auto& entry) {
           return entry.second.callback != nullptr && entry.second.arrived() > entry.second.told;
         });
}

void Callbacks::tell() {
  const std::lock_guard guard(mutex_);
  for (auto& [key, entry] : entries_) {
    if (entry.callback == nullptr) {
      continue;
    }
    const std::uint64_t arrived = entry.arrived();
    if (arrived > entry.told) {
      const std::uint64_t news = arrived - entry.told;
      entry.told = arrived;
      entry.callback(entry.user_data, news);
    }
  }
}

}  // namespace rmw_ligament_cpp
