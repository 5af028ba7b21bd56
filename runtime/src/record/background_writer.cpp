// SPDX-License-Identifier: Apache-2.0
#include "record/background_writer.hpp"

#include <chrono>

namespace ligament::record {

BackgroundWriter::BackgroundWriter(std::unique_ptr<McapWriter> writer)
    : writer_(std::move(writer)), thread_([this] { run(); }) {}

BackgroundWriter::~BackgroundWriter() { (void)close(); }

McapWriter& BackgroundWriter::close() {
  {
    const std::lock_guard guard(mutex_);
    is_closing_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) {
    thread_.join();
  }
  return *writer_;
}

void BackgroundWriter::push(Chunk&& chunk) {
  {
    const std::lock_guard guard(mutex_);
    waiting_bytes_ += chunk.bytes();
    chunks_.push_back(std::move(chunk));
  }
  changed_.notify_all();
}

bool BackgroundWriter::has_room() const {
  const std::lock_guard guard(mutex_);
  return has_room_now();
}

void BackgroundWriter::wait_for_room(std::int64_t at_most_ns) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, std::chrono::nanoseconds(at_most_ns), [this] { return has_room_now(); });
}

std::string BackgroundWriter::failure() const {
  const std::lock_guard guard(mutex_);
  return failure_;
}

std::uint64_t BackgroundWriter::bytes_written() const {
  const std::lock_guard guard(mutex_);
  return bytes_written_;
}

void BackgroundWriter::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return !chunks_.empty() || is_closing_; });
    if (chunks_.empty()) {
      return;
    }
    const bool has_failed = !failure_.empty();
    std::size_t bytes = 0;
    std::string failure;
    {
      Chunk chunk = std::move(chunks_.front());
      chunks_.pop_front();
      lock.unlock();
      bytes = chunk.bytes();
      if (!has_failed) {
        if (const auto written = writer_->write(chunk); !written) {
          failure = written.error();
        }
      }
    }  // what it held goes back to the publishers
    lock.lock();
    waiting_bytes_ -= bytes;
    bytes_written_ = writer_->size();
    if (!failure.empty()) {
      failure_ = failure;
    }
    changed_.notify_all();
  }
}

}  // namespace ligament::record
