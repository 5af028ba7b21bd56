// SPDX-License-Identifier: Apache-2.0
/// \file Quality of service of a publisher or subscription, with rclcpp's names.
///
///   auto qos = ligament::QoS(10).reliable().transient_local();
///
/// Two ends match when the offered side is at least as strong as the requested side, as in DDS.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>

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

/// What a quality of service starts from: `QoS(KeepLast(5))`, `QoS(KeepAll(100))`.
struct QoSInitialization {
  HistoryPolicy history = HistoryPolicy::keep_last;
  std::size_t depth = 10;
};
struct KeepLast : QoSInitialization {
  explicit KeepLast(std::size_t samples) : QoSInitialization{HistoryPolicy::keep_last, samples} {}
};
/// Nothing is skipped: a reliable publisher waits once a reliable subscription is `credit` samples
/// behind (the depth: memory is bounded, so there must be a number).
struct KeepAll : QoSInitialization {
  explicit KeepAll(std::size_t credit = 10) : QoSInitialization{HistoryPolicy::keep_all, credit} {}
};

/// Builder with rclcpp's spelling. Defaults: reliable, volatile, keep-last(depth), no deadline,
/// lifespan or lease. What each policy does: docs/reference/qos.md.
class QoS {
 public:
  QoS(std::size_t depth) : QoS(KeepLast(depth)) {}  // NOLINT: implicit, as in rclcpp
  QoS(const QoSInitialization& start) {             // NOLINT: implicit, to pass KeepAll()
    profile_.history = start.history;
    profile_.depth = count(start.depth);
  }
  explicit QoS(const QoSProfile& profile) : profile_(profile) {}

  QoS& history(HistoryPolicy policy) {
    profile_.history = policy;
    return *this;
  }
  QoS& keep_last(std::size_t depth) {
    profile_.depth = count(depth);
    return history(HistoryPolicy::keep_last);
  }
  /// The depth stays as it is: it is the credit.
  QoS& keep_all() { return history(HistoryPolicy::keep_all); }
  QoS& reliability(ReliabilityPolicy policy) {
    profile_.reliability = policy;
    return *this;
  }
  QoS& reliable() { return reliability(ReliabilityPolicy::reliable); }
  QoS& best_effort() { return reliability(ReliabilityPolicy::best_effort); }
  QoS& durability(DurabilityPolicy policy) {
    profile_.durability = policy;
    return *this;
  }
  QoS& durability_volatile() { return durability(DurabilityPolicy::volatile_); }
  QoS& transient_local() { return durability(DurabilityPolicy::transient_local); }
  /// The longest time between two messages that both ends count on.
  QoS& deadline(std::chrono::nanoseconds period) {
    profile_.deadline_ns = finite(period);
    return *this;
  }
  /// Of a publisher: messages older than this are not delivered.
  QoS& lifespan(std::chrono::nanoseconds span) {
    profile_.lifespan_ns = finite(span);
    return *this;
  }
  QoS& liveliness(LivelinessPolicy policy) {
    profile_.liveliness = policy;
    return *this;
  }
  /// How long a publisher may say nothing before it counts as not alive.
  QoS& liveliness_lease_duration(std::chrono::nanoseconds lease) {
    profile_.liveliness_lease_ns = finite(lease);
    return *this;
  }
  /// Samples this subscription may hold at once; one more take is a named error.
  QoS& max_held(std::size_t samples) {
    profile_.max_held = count(samples);
    return *this;
  }

  [[nodiscard]] const QoSProfile& profile() const { return profile_; }

 private:
  /// Too large a number stays too large, and is refused by name when the endpoint is made.
  static std::uint32_t count(std::size_t value) {
    return static_cast<std::uint32_t>(
        std::min<std::size_t>(value, std::numeric_limits<std::uint32_t>::max()));
  }
  /// The largest duration means "no limit", which is kept as 0.
  static std::int64_t finite(std::chrono::nanoseconds value) {
    return value == std::chrono::nanoseconds::max() ? 0 : value.count();
  }

  QoSProfile profile_;
};

// --- rclcpp's named profiles ---------------------------------------------------------------------

/// Readings of a sensor: the newest matter, a lost one does not.
struct SensorDataQoS : QoS {
  explicit SensorDataQoS(const QoSInitialization& start = KeepLast(5)) : QoS(start) {
    best_effort();
  }
};
/// The time of a simulation.
struct ClockQoS : QoS {
  explicit ClockQoS(const QoSInitialization& start = KeepLast(1)) : QoS(start) { best_effort(); }
};
struct ParametersQoS : QoS {
  explicit ParametersQoS(const QoSInitialization& start = KeepLast(1000)) : QoS(start) {}
};
struct ParameterEventsQoS : QoS {
  explicit ParameterEventsQoS(const QoSInitialization& start = KeepLast(1000)) : QoS(start) {}
};
/// keep-all, as history does not travel in DDS: a request that is overwritten is never answered.
struct ServicesQoS : QoS {
  explicit ServicesQoS(const QoSInitialization& start = KeepAll(10)) : QoS(start) {}
};
/// Log messages: those of the last ten seconds, also for who joins late.
struct RosoutQoS : QoS {
  explicit RosoutQoS(const QoSInitialization& start = KeepLast(1000)) : QoS(start) {
    transient_local().lifespan(std::chrono::seconds(10));
  }
};
/// What Ligament does where nothing is said.
struct SystemDefaultsQoS : QoS {
  explicit SystemDefaultsQoS(const QoSInitialization& start = KeepLast(10)) : QoS(start) {}
};

/// How messages get from publishers to subscriptions (spec/graph, "Modes").
enum class TopicMode : std::uint8_t {
  shared,       ///< in place, for all (ROS-SHM-ZC): what one wants
  copied,       ///< once at each end, as middleware does (ROS-SC): to compare with
  handed_over,  ///< within a process, in place for one, copied for others (ROS-ZC): to compare with
};

}  // namespace ligament
