// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <cmath>
#include <ctime>
#include <ligament/clock.hpp>
#include <mutex>
#include <utility>

namespace ligament {
namespace {

constexpr std::int64_t nanoseconds_per_second = 1'000'000'000;

std::int64_t read_clock(clockid_t id) {
  timespec now{};
  ::clock_gettime(id, &now);
  return now.tv_sec * nanoseconds_per_second + now.tv_nsec;
}

/// Seconds rounded down, so that the rest is never negative: the form of ROS messages.
template <typename Message>
Message split(std::int64_t nanoseconds) {
  std::int64_t rest = nanoseconds % nanoseconds_per_second;
  std::int64_t seconds = nanoseconds / nanoseconds_per_second;
  if (rest < 0) {
    rest += nanoseconds_per_second;
    --seconds;
  }
  Message message;
  message.sec = static_cast<std::int32_t>(seconds);
  message.nanosec = static_cast<std::uint32_t>(rest);
  return message;
}

}  // namespace

Duration Duration::from_seconds(double value) {
  return from_nanoseconds(std::llround(value * 1e9));
}

Duration::operator builtin_interfaces::msg::Duration() const {
  return split<builtin_interfaces::msg::Duration>(nanoseconds_);
}

Time::operator builtin_interfaces::msg::Time() const {
  return split<builtin_interfaces::msg::Time>(nanoseconds_);
}

struct Clock::Simulation {
  // Relaxed would do for the values; release/acquire orders the value before the flag.
  std::atomic<bool> active{false};
  std::atomic<std::int64_t> now_ns{0};
  std::mutex mutex;
  std::function<void()> changed;
};

Clock::Clock(ClockType type) : type_(type), simulation_(std::make_shared<Simulation>()) {}

Time Clock::now() const {
  if (type_ == ClockType::steady) {
    return Time(read_clock(CLOCK_MONOTONIC), type_);
  }
  if (ros_time_is_active()) {
    return Time(simulation_->now_ns.load(std::memory_order_relaxed), type_);
  }
  return Time(read_clock(CLOCK_REALTIME), type_);
}

bool Clock::ros_time_is_active() const {
  // Acquire: pairs with the release in set_ros_time().
  return type_ == ClockType::ros && simulation_->active.load(std::memory_order_acquire);
}

void Clock::set_ros_time(Time now) {
  simulation_->now_ns.store(now.nanoseconds(), std::memory_order_relaxed);
  simulation_->active.store(true, std::memory_order_release);
  const std::lock_guard lock(simulation_->mutex);
  if (simulation_->changed) {
    simulation_->changed();
  }
}

void Clock::clear_ros_time() {
  simulation_->active.store(false, std::memory_order_release);
  const std::lock_guard lock(simulation_->mutex);
  if (simulation_->changed) {
    simulation_->changed();
  }
}

void Clock::on_ros_time_change(std::function<void()> callback) {
  const std::lock_guard lock(simulation_->mutex);
  simulation_->changed = std::move(callback);
}

}  // namespace ligament
