// SPDX-License-Identifier: Apache-2.0
/// \file Time as rclcpp has it: Time, Duration and the Clock that a node reads.
///
///   message.header.stamp = now();                       // inside a node
///   const ligament::Duration age = now() - ligament::Time(message.header.stamp);
///
/// A node's clock is of type `ros`: the system's time, or simulated time once somebody has set it
/// (parameter `use_sim_time` makes the node follow the topic /clock). Timers made by
/// `create_timer()` run on it.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <functional>
#include <ligament/builtin_interfaces/msg/duration.hpp>
#include <ligament/builtin_interfaces/msg/time.hpp>
#include <memory>

namespace ligament {

enum class ClockType : std::uint8_t { system, steady, ros };

/// A signed length of time in nanoseconds.
class Duration {
 public:
  constexpr Duration() = default;
  constexpr Duration(std::int32_t seconds, std::uint32_t nanoseconds)
      : nanoseconds_(seconds * 1'000'000'000LL + nanoseconds) {}
  constexpr Duration(std::chrono::nanoseconds value) : nanoseconds_(value.count()) {}  // NOLINT
  Duration(const builtin_interfaces::msg::Duration& value)                             // NOLINT
      : Duration(value.sec, value.nanosec) {}

  [[nodiscard]] static constexpr Duration from_nanoseconds(std::int64_t value) {
    return Duration(std::chrono::nanoseconds(value));
  }
  [[nodiscard]] static Duration from_seconds(double value);

  [[nodiscard]] constexpr std::int64_t nanoseconds() const { return nanoseconds_; }
  [[nodiscard]] constexpr double seconds() const {
    return static_cast<double>(nanoseconds_) * 1e-9;
  }
  [[nodiscard]] constexpr std::chrono::nanoseconds to_chrono() const {
    return std::chrono::nanoseconds(nanoseconds_);
  }
  operator builtin_interfaces::msg::Duration() const;  // NOLINT: as rclcpp

  constexpr auto operator<=>(const Duration&) const = default;
  constexpr Duration operator+(Duration other) const {
    return from_nanoseconds(nanoseconds_ + other.nanoseconds_);
  }
  constexpr Duration operator-(Duration other) const {
    return from_nanoseconds(nanoseconds_ - other.nanoseconds_);
  }
  constexpr Duration operator-() const { return from_nanoseconds(-nanoseconds_); }

 private:
  std::int64_t nanoseconds_ = 0;
};

/// A point in time of one type of clock, in nanoseconds since that clock's origin.
class Time {
 public:
  constexpr Time() = default;
  constexpr Time(std::int32_t seconds, std::uint32_t nanoseconds, ClockType type = ClockType::ros)
      : nanoseconds_(seconds * 1'000'000'000LL + nanoseconds), type_(type) {}
  constexpr explicit Time(std::int64_t nanoseconds, ClockType type = ClockType::ros)
      : nanoseconds_(nanoseconds), type_(type) {}
  Time(const builtin_interfaces::msg::Time& value, ClockType type = ClockType::ros)  // NOLINT
      : Time(value.sec, value.nanosec, type) {}

  [[nodiscard]] constexpr std::int64_t nanoseconds() const { return nanoseconds_; }
  [[nodiscard]] constexpr double seconds() const {
    return static_cast<double>(nanoseconds_) * 1e-9;
  }
  [[nodiscard]] constexpr ClockType get_clock_type() const { return type_; }
  operator builtin_interfaces::msg::Time() const;  // NOLINT: as rclcpp

  constexpr bool operator==(const Time& other) const { return nanoseconds_ == other.nanoseconds_; }
  constexpr auto operator<=>(const Time& other) const {
    return nanoseconds_ <=> other.nanoseconds_;
  }
  constexpr Time operator+(Duration span) const {
    return Time(nanoseconds_ + span.nanoseconds(), type_);
  }
  constexpr Time operator-(Duration span) const {
    return Time(nanoseconds_ - span.nanoseconds(), type_);
  }
  constexpr Duration operator-(const Time& other) const {
    return Duration::from_nanoseconds(nanoseconds_ - other.nanoseconds_);
  }

 private:
  std::int64_t nanoseconds_ = 0;
  ClockType type_ = ClockType::ros;
};

/// Reads one kind of time. Copies share the simulated time that was set.
class Clock {
 public:
  using SharedPtr = std::shared_ptr<Clock>;

  explicit Clock(ClockType type = ClockType::system);

  [[nodiscard]] Time now() const;
  [[nodiscard]] ClockType get_clock_type() const { return type_; }

  /// Simulated time (clocks of type `ros` only): from now on, `now()` is what was last set.
  [[nodiscard]] bool ros_time_is_active() const;
  void set_ros_time(Time now);
  /// Back to the system's time.
  void clear_ros_time();
  /// Called on the setting thread after each change of simulated time: executors re-read timers.
  void on_ros_time_change(std::function<void()> callback);

 private:
  struct Simulation;
  ClockType type_;
  std::shared_ptr<Simulation> simulation_;
};

}  // namespace ligament
