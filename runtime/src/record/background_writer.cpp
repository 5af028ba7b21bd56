// SPDX-License-Identifier: Apache-2.0
#include "record/background_writer.hpp"

#include <chrono>

namespace ligament::record {

namespace {

constexpr std::size_t most_spare = 4;

}  // namespace

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

Chunk BackgroundWriter::push(Chunk&& chunk) {
  Chunk next;
  {
    const std::lock_guard guard(mutex_);
    waiting_bytes_ += chunk.bytes();
    chunks_.push_back(std::move(chunk));
    if (!spare_.empty()) {
      next = std::move(spare_.back());
      spare_.pop_back();
    }
  }
  changed_.notify_all();
  return next;
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
    Chunk chunk = std::move(chunks_.front());
    chunks_.pop_front();
    lock.unlock();
    const std::size_t bytes = chunk.bytes();
    const auto written = has_failed ? expected<void, std::string>() : writer_->write(chunk);
    chunk.clear();  // what it held goes back to the publishers
    lock.lock();
    waiting_bytes_ -= bytes;
    bytes_written_ = writer_->size();
    if (!written) {
      failure_ = written.error();
    }
    if (spare_.size() < most_spare) {
      spare_.push_back(std::move(chunk));
    }
    changed_.notify_all();
  }
}

}  // namespace ligament::record
