// SPDX-License-Identifier: Apache-2.0
/// \file Quality of service of a publisher or subscription, with rclcpp's names.
///
///   auto qos = ligament::QoS(10).reliable().transient_local();
///
/// Two ends match when the offered side is at least as strong as the requested side, as in DDS.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace ligament {

enum class HistoryPolicy : std::uint8_t { keep_last = 0, keep_all = 1 };
enum class ReliabilityPolicy : std::uint8_t { best_effort = 0, reliable = 1 };
enum class DurabilityPolicy : std::uint8_t { volatile_ = 0, transient_local = 1 };
enum class LivelinessPolicy : std::uint8_t { automatic = 0, manual_by_topic = 1 };

/// Plain data form: what is stored in shared memory and compared at match time. Durations in
/// nanoseconds; 0 means "infinite" (the ROS 2 default).
struct QoSProfile {
  HistoryPolicy history = HistoryPolicy::keep_last;
  ReliabilityPolicy reliability = ReliabilityPolicy::reliable;
  DurabilityPolicy durability = DurabilityPolicy::volatile_;
  LivelinessPolicy liveliness = LivelinessPolicy::automatic;
  std::uint32_t depth = 10;
  std::uint32_t max_held = 2;  ///< samples a subscription may keep at once (decision: default 2)
  std::int64_t deadline_ns = 0;
  std::int64_t lifespan_ns = 0;
  std::int64_t liveliness_lease_ns = 0;
  bool operator==(const QoSProfile&) const = default;
};

/// Builder with rclcpp's spelling. Defaults: reliable, volatile, keep-last(depth).
class QoS {
 public:
  QoS(std::size_t depth) { profile_.depth = static_cast<std::uint32_t>(depth); }  // NOLINT: rclcpp
  explicit QoS(const QoSProfile& profile) : profile_(profile) {}

  QoS& keep_last(std::size_t depth) {
    profile_.history = HistoryPolicy::keep_last;
    profile_.depth = static_cast<std::uint32_t>(depth);
    return *this;
  }
  QoS& keep_all() {
    profile_.history = HistoryPolicy::keep_all;
    return *this;
  }
  QoS& reliable() {
    profile_.reliability = ReliabilityPolicy::reliable;
    return *this;
  }
  QoS& best_effort() {
    profile_.reliability = ReliabilityPolicy::best_effort;
    return *this;
  }
  QoS& durability_volatile() {
    profile_.durability = DurabilityPolicy::volatile_;
    return *this;
  }
  QoS& transient_local() {
    profile_.durability = DurabilityPolicy::transient_local;
    return *this;
  }
  QoS& deadline(std::chrono::nanoseconds period) {
    profile_.deadline_ns = period.count();
    return *this;
  }
  QoS& lifespan(std::chrono::nanoseconds span) {
    profile_.lifespan_ns = span.count();
    return *this;
  }
  /// Samples this subscription may hold at once; one more take is a named error.
  QoS& max_held(std::size_t samples) {
    profile_.max_held = static_cast<std::uint32_t>(samples);
    return *this;
  }

  [[nodiscard]] const QoSProfile& profile() const { return profile_; }

 private:
  QoSProfile profile_;
};

/// rclcpp's SensorDataQoS: best effort, keep-last 5.
inline QoS sensor_data_qos() { return QoS(5).best_effort(); }

}  // namespace ligament
