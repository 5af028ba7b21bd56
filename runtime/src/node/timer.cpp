// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <ligament/detail/ros2_marks.hpp>
#include <ligament/timer.hpp>
#include <ligament/trace.hpp>
#include <random>
#include <utility>

#include "node/context_state.hpp"
#include "node/node_state.hpp"
#include "node/saturating.hpp"
#include "trace/ros2_names.hpp"

namespace ligament {
namespace {

/// Unique on the host for all that matters: 64 random bits per process, counted on from there.
std::uint64_t new_handle() {
  static std::atomic<std::uint64_t> next{[] {
    std::random_device source;
    return (std::uint64_t{source()} << 32) | source();
  }()};
  return next.fetch_add(1, std::memory_order_relaxed);
}

/// A system clock may be set: look at least this often.
constexpr std::int64_t longest_trust_ns = 1'000'000'000;

}  // namespace

TimerBase::TimerBase(std::shared_ptr<detail::NodeState> node, Clock clock,
                     std::chrono::nanoseconds period, std::function<void()> callback,
                     std::shared_ptr<CallbackGroup> group)
    : node_(std::move(node)),
      clock_(std::move(clock)),
      period_ns_(period.count()),
      callback_(std::move(callback)),
      group_(std::move(group)),
      handle_(new_handle()),
      next_ns_(detail::later(clock_.now().nanoseconds(), period_ns_)) {
  trace::timer_init(handle_, node_->hash, period_ns_);
  trace::ros2::tell_timer({handle_, callback_.target_type()}, node_->hash, period_ns_);
}

TimerBase::~TimerBase() = default;

void TimerBase::cancel() { canceled_.store(true, std::memory_order_relaxed); }

void TimerBase::reset() {
  next_ns_.store(detail::later(clock_.now().nanoseconds(), period_ns_), std::memory_order_relaxed);
  canceled_.store(false, std::memory_order_relaxed);
  if (node_->context != nullptr) {
    node_->context->wake();
  }
}

std::chrono::nanoseconds TimerBase::time_until_trigger() const {
  return std::chrono::nanoseconds(next_ns_.load(std::memory_order_relaxed) -
                                  clock_.now().nanoseconds());
}

bool TimerBase::take_turn() {
  if (is_canceled()) {
    return false;
  }
  const std::int64_t now = clock_.now().nanoseconds();
  const std::int64_t due = next_ns_.load(std::memory_order_relaxed);
  if (now < due) {
    // Simulated time that was set back would otherwise wait for the old future.
    if (due - now > period_ns_ && clock_.ros_time_is_active()) {
      next_ns_.store(detail::later(now, period_ns_), std::memory_order_relaxed);
    }
    return false;
  }
  const std::int64_t newest = period_ns_ == 0 ? now : now - (now - due) % period_ns_;
  next_ns_.store(detail::later(newest, period_ns_), std::memory_order_relaxed);
  return true;
}

bool TimerBase::run_if_due() {
  if (!take_turn()) {
    return false;
  }
  run();
  return true;
}

void TimerBase::run() {
  trace::ros2::rclcpp_executor_execute(trace::ros2::handle(handle_));
  const std::shared_ptr<detail::NodeState> node = node_;
  const detail::CallbackScope scope(*node, handle_, 0, 0);
  const trace::ros2::CallbackMark mark(trace::ros2::enabled() ? trace::ros2::handle(handle_) : 0);
  callback_();
}

std::int64_t TimerBase::look_again_ns(std::int64_t monotonic_now_ns) const {
  if (is_canceled()) {
    return pool::no_deadline;
  }
  const std::int64_t due = next_ns_.load(std::memory_order_relaxed);
  if (clock_.get_clock_type() == ClockType::steady) {
    return due;
  }
  const std::int64_t left = std::max<std::int64_t>(0, due - clock_.now().nanoseconds());
  if (clock_.ros_time_is_active()) {
    return left == 0 ? monotonic_now_ns : pool::no_deadline;  // whoever sets the time wakes us
  }
  return detail::later(monotonic_now_ns, std::min(left, longest_trust_ns));
}

}  // namespace ligament
