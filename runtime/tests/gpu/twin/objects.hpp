// SPDX-License-Identifier: Apache-2.0
/// \file The twin's streams, events and modules.
#pragma once

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include "shared.hpp"
#include "world.hpp"

namespace twin {

struct Mark {
  std::mutex mutex;
  std::condition_variable changed;
  bool is_done = false;
  std::chrono::steady_clock::time_point at;
};

struct Queue {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<void()>> tasks;
  bool is_ending = false;

  void serve() {
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [this] { return is_ending || !tasks.empty(); });
      if (tasks.empty()) {
        return;
      }
      const auto task = std::move(tasks.front());
      tasks.pop_front();
      lock.unlock();
      task();
      lock.lock();
    }
  }
  void add(std::function<void()> task) {
    const std::lock_guard lock(mutex);
    tasks.push_back(std::move(task));
    changed.notify_all();
  }
};

using Entry = void (*)(void** parameters, const unsigned* grid, const unsigned* block);

}  // namespace twin

namespace ligament::gpu::cuda {

struct OpaqueModule : twin::Counted<OpaqueModule> {
  explicit OpaqueModule(void* code) : library(code) {}
  void* library = nullptr;
};

struct OpaqueFunction {
  twin::Entry entry = nullptr;
  const unsigned* sizes = nullptr;
};

struct OpaqueStream : twin::Counted<OpaqueStream> {
  explicit OpaqueStream(std::shared_ptr<twin::Queue> own) : queue(std::move(own)) {}
  std::shared_ptr<twin::Queue> queue;
};

struct OpaqueEvent : twin::Counted<OpaqueEvent> {
  explicit OpaqueEvent(bool is_timed) : has_time(is_timed) {}
  ~OpaqueEvent() {
    if (fd >= 0) {
      ::close(fd);
    }
  }
  OpaqueEvent(const OpaqueEvent&) = delete;
  OpaqueEvent& operator=(const OpaqueEvent&) = delete;

  std::shared_ptr<twin::Mark> mark;
  std::shared_ptr<twin::SharedMark> shared;  ///< streams may look at it after the event
  int fd = -1;
  bool has_time = true;
};

}  // namespace ligament::gpu::cuda
