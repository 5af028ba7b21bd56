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
  std::unique_lock lock(mutex_);
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
  until_idle(lock, [&key](const Key& running) { return running == key; });
}

void Callbacks::forget(const void* entity) {
  std::unique_lock lock(mutex_);
  std::erase_if(entries_, [entity](const auto& entry) { return entry.first.first == entity; });
  waits_.wake();
  until_idle(lock, [entity](const Key& running) { return running.first == entity; });
}

/// A callback may set or end itself.
void Callbacks::until_idle(std::unique_lock<std::mutex>& lock,
                           const std::function<bool(const Key&)>& is_meant) {
  if (std::this_thread::get_id() != thread_.get_id()) {
    returned_.wait(lock, [&] { return !running_ || !is_meant(*running_); });
  }
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

/// Each without the lock: it may take one that somebody holds who sets or ends another.
void Callbacks::tell() {
  std::unique_lock lock(mutex_);
  for (auto place = entries_.begin(); place != entries_.end();) {
    const Key key = place->first;
    Entry& entry = place->second;
    const std::uint64_t arrived = entry.callback == nullptr ? entry.told : entry.arrived();
    const std::uint64_t news = arrived > entry.told ? arrived - entry.told : 0;
    if (news != 0) {
      entry.told = arrived;
      running_ = key;
      const auto [callback, user_data] = std::pair(entry.callback, entry.user_data);
      lock.unlock();
      callback(user_data, news);
      lock.lock();
      running_.reset();
      returned_.notify_all();
    }
    place = entries_.upper_bound(key);  // it may be gone
  }
}

}  // namespace rmw_ligament_cpp
