// SPDX-License-Identifier: Apache-2.0
#include "device/work_thread.hpp"

#include <ctime>
#include <thread>
#include <utility>

#include "device/failure.hpp"

namespace ligament::device {
namespace {

constexpr std::size_t kept_errors = 64;
constexpr std::size_t kept_spans = 4096;

}  // namespace

std::uint64_t device_ticks() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000ULL +
         static_cast<std::uint64_t>(now.tv_nsec);
}

void WorkThread::start() {
  stop_ = false;
  {
    const std::lock_guard lock(mutex_);
    running_ = true;
  }
  // Detached: a program that never returns must not keep the device from being closed.
  std::thread([self = shared_from_this()] { self->run(); }).detach();
}

void WorkThread::request_stop() {
  stop_ = true;
  if (waiter_ != nullptr) {
    waiter_->wake();
  }
}

bool WorkThread::wait_stopped(std::chrono::steady_clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  return stopped_.wait_until(lock, deadline, [this] { return !running_; });
}

void WorkThread::run() {
  while (!stop_ && !is_over()) {
    if (!work()) {
      waiter_->wait(pool::WaitStrategy::sleep());
    }
  }
  const std::lock_guard lock(mutex_);
  running_ = false;
  stopped_.notify_all();
}

Result<pool::Waiter*> WorkThread::waiter(pool::Domain& domain) {
  if (waiter_ == nullptr) {
    auto made = domain.create_waiter();
    if (!made) {
      return failure(ErrorCode::system, made.error().text);
    }
    waiter_ = std::move(*made);
  }
  return waiter_.get();
}

void WorkThread::keep(const Span& span) {
  const std::lock_guard lock(mutex_);
  spans_.push_back(span);
  if (spans_.size() > kept_spans) {
    spans_.pop_front();
  }
}

void WorkThread::report(ErrorCode code, std::string text) {
  ++failed_;
  const std::lock_guard lock(mutex_);
  if (errors_.size() < kept_errors) {
    errors_.push_back({code, std::move(text)});
  }
}

std::optional<Error> WorkThread::take_error() {
  const std::lock_guard lock(mutex_);
  if (errors_.empty()) {
    return std::nullopt;
  }
  Error first = std::move(errors_.front());
  errors_.pop_front();
  return first;
}

void WorkThread::take_spans(std::vector<Span>& out) {
  const std::lock_guard lock(mutex_);
  out.insert(out.end(), spans_.begin(), spans_.end());
  spans_.clear();
}

Statistics WorkThread::statistics() const {
  return {taken_, published_, failed_, copies_, bytes_copied_};
}

}  // namespace ligament::device
