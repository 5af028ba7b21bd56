// SPDX-License-Identifier: Apache-2.0
#include "transport/edge/farewell.hpp"

#include <limits>
#include <utility>

namespace ligament::edge {

namespace {

/// At the end of the edge, whose process is killed a second after it was told to end.
constexpr std::int64_t last_wait_ns = 500'000'000;

}  // namespace

Farewell::Farewell(dds::Participant& participant)
    : participant_(participant), thread_([this] { run(); }) {}

Farewell::~Farewell() {
  {
    const std::lock_guard guard(mutex_);
    stop_ = true;
    participant_.end_within(ending_, last_wait_ns);
    for (const auto& writer : writers_) {
      participant_.end_within(writer->gid(), last_wait_ns);
    }
  }
  wake_.notify_one();
  thread_.join();
}

void Farewell::add(std::unique_ptr<dds::Writer> writer) {
  // From now on, and not from when those before it have ended.
  participant_.end_within(writer->gid(), std::numeric_limits<std::int64_t>::max());
  {
    const std::lock_guard guard(mutex_);
    writers_.push_back(std::move(writer));
  }
  wake_.notify_one();
}

void Farewell::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return stop_ || !writers_.empty(); });
    if (writers_.empty()) {
      return;
    }
    auto writer = std::move(writers_.front());
    writers_.pop_front();
    ending_ = writer->gid();
    lock.unlock();
    writer.reset();
    lock.lock();
  }
}

}  // namespace ligament::edge
