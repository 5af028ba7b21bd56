// SPDX-License-Identifier: Apache-2.0
/// \file Callbacks of executors that do not wait: called when messages, requests, responses or
/// events have come. One thread per context, which exists from the first callback on, calls them;
/// so do the thread that sets one, of what came before, and a thread that waits for the same
/// entity, before its wait ends. Never two at once for the same key.
#pragma once

#include <rmw/event_callback_type.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "waits.hpp"

namespace rmw_ligament_cpp {

class Callbacks {
 public:
  using Key = std::pair<const void*, int>;  ///< entity, and which of its events

  explicit Callbacks(Waits& waits) : waits_(waits) {}
  ~Callbacks();
  Callbacks(const Callbacks&) = delete;
  Callbacks& operator=(const Callbacks&) = delete;

  /// `arrived` counts what has come, ever. What is waiting to be taken is told before this returns.
  /// A null callback ends it: none runs any more when this returns.
  void set(Key key, rmw_event_callback_t callback, const void* user_data,
           std::function<std::uint64_t()> arrived);
  /// Whether a callback has ever been set.
  [[nodiscard]] bool are_used() const { return are_used_.load(); }
  /// What has come for those that have a callback is told when this returns.
  void tell(const std::vector<Key>& keys);
  /// Of all events of an entity that is destroyed.
  void forget(const void* entity);

 private:
  struct Entry {
    rmw_event_callback_t callback = nullptr;
    const void* user_data = nullptr;
    std::function<std::uint64_t()> arrived;
    std::uint64_t told = 0;
  };
  void run();
  [[nodiscard]] bool has_news();
  void tell_all();
  void call(std::unique_lock<std::mutex>& lock, Key key);
  void until_idle(std::unique_lock<std::mutex>& lock,
                  const std::function<bool(const Key&)>& is_meant);

  Waits& waits_;
  std::mutex mutex_;
  std::condition_variable returned_;
  std::map<Key, Entry> entries_;
  std::map<Key, std::thread::id> running_;  ///< whose callbacks are called now, and by whom
  std::atomic<bool> are_used_{false};
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace rmw_ligament_cpp
