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
    are_used_.store(true);
  }
  until_idle(lock, [&key](const Key& running) { return running == key; });
  call(lock, key);
  waits_.wake();  // also because the thread may have found us here, and not have looked
}

void Callbacks::tell(const std::vector<Key>& keys) {
  std::unique_lock lock(mutex_);
  for (const Key& key : keys) {
    until_idle(lock, [&key](const Key& running) { return running == key; });
    call(lock, key);
  }
  waits_.wake();  // as above
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
  returned_.wait(lock, [&] {
    return std::none_of(running_.begin(), running_.end(), [&](const auto& running) {
      return is_meant(running.first) && running.second != std::this_thread::get_id();
    });
  });
}

void Callbacks::run() {
  ::pthread_setname_np(::pthread_self(), "ligament-rmw");
  while (!stop_.load()) {
    waits_.wait([this] { return stop_.load() || has_news(); }, ligament::pool::no_deadline);
    tell_all();
  }
}

bool Callbacks::has_news() {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  // Somebody changes them, and wakes us when done; so does who calls one.
  return lock.owns_lock() && std::any_of(entries_.begin(), entries_.end(), [this](const auto& of) {
           const auto& [key, entry] = of;
           return entry.callback != nullptr && entry.arrived() > entry.told &&
                  !running_.contains(key);
         });
}

void Callbacks::tell_all() {
  std::unique_lock lock(mutex_);
  for (auto place = entries_.begin(); place != entries_.end();) {
    const Key key = place->first;
    call(lock, key);
    place = entries_.upper_bound(key);  // it may be gone
  }
}

/// Without the lock: the callback may take one that somebody holds who sets or ends another.
void Callbacks::call(std::unique_lock<std::mutex>& lock, Key key) {
  const auto place = entries_.find(key);
  if (place == entries_.end() || place->second.callback == nullptr || running_.contains(key)) {
    return;
  }
  Entry& entry = place->second;
  const std::uint64_t arrived = entry.arrived();
  if (arrived <= entry.told) {
    return;
  }
  const std::uint64_t news = arrived - entry.told;
  const auto [callback, user_data] = std::pair(entry.callback, entry.user_data);
  entry.told = arrived;
  running_.emplace(key, std::this_thread::get_id());
  lock.unlock();
  callback(user_data, news);
  lock.lock();
  running_.erase(key);
  returned_.notify_all();
}

}  // namespace rmw_ligament_cpp
