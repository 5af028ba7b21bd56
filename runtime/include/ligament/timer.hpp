// SPDX-License-Identifier: Apache-2.0
/// \file Timers: a callback each period, on the steady clock or on the node's clock.
///
///   timer_ = create_wall_timer(std::chrono::milliseconds(33), [this] { publish_frame(); });
///
/// An executor that is late runs a timer once, not once per missed period; the next call is on the
/// original grid again.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <ligament/callback_group.hpp>
#include <ligament/clock.hpp>
#include <ligament/detail/endpoint.hpp>
#include <memory>

namespace ligament {

class TimerBase {
 public:
  using SharedPtr = std::shared_ptr<TimerBase>;

  /// Made by Node::create_wall_timer() and Node::create_timer().
  TimerBase(std::shared_ptr<detail::NodeState> node, Clock clock, std::chrono::nanoseconds period,
            std::function<void()> callback, std::shared_ptr<CallbackGroup> group);
  ~TimerBase();
  TimerBase(const TimerBase&) = delete;
  TimerBase& operator=(const TimerBase&) = delete;

  /// No more calls until reset(). From any thread.
  void cancel();
  [[nodiscard]] bool is_canceled() const { return canceled_.load(std::memory_order_relaxed); }
  /// The next call is one period from now.
  void reset();
  [[nodiscard]] std::chrono::nanoseconds time_until_trigger() const;

  /// What the executor calls: runs the callback if it is due. True if it ran.
  bool run_if_due();
  /// The same in two steps. The first, by one thread at a time: whether it is due; moves the next
  /// call to the first point of the grid after now.
  [[nodiscard]] bool take_turn();
  void run();
  /// CLOCK_MONOTONIC time at which to look again.
  [[nodiscard]] std::int64_t look_again_ns(std::int64_t monotonic_now_ns) const;
  [[nodiscard]] const std::shared_ptr<CallbackGroup>& callback_group() const { return group_; }

 private:
  std::shared_ptr<detail::NodeState> node_;
  Clock clock_;
  std::int64_t period_ns_;
  std::function<void()> callback_;
  std::shared_ptr<CallbackGroup> group_;
  std::uint64_t handle_;
  // Relaxed: one thread at a time takes a turn; cancel() and reset() only have to arrive.
  std::atomic<std::int64_t> next_ns_;
  std::atomic<bool> canceled_{false};
};

}  // namespace ligament
