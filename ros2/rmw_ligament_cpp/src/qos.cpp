// SPDX-License-Identifier: Apache-2.0
#include "qos.hpp"

#include <rmw/qos_policy_kind.h>
#include <rmw/qos_profiles.h>
#include <rmw/rmw.h>
#include <rmw/time.h>

#include <algorithm>

namespace rmw_ligament_cpp {

namespace {

using ligament::DurabilityPolicy;
using ligament::HistoryPolicy;
using ligament::LivelinessPolicy;
using ligament::QoSProfile;
using ligament::ReliabilityPolicy;
using ligament::pool::EndpointInfo;
using ligament::pool::EndpointKind;

constexpr std::uint32_t default_depth = 10;  // as rmw_qos_profile_default
constexpr std::uint32_t least_depth = 10;
/// The pool's memory is bounded: a keep-all publisher waits when a subscription is so far behind.
constexpr std::uint32_t keep_all_depth = 64;
constexpr std::uint32_t service_depth = 10;
constexpr std::uint32_t greatest_depth = 1U << 20;

/// 0: infinite, unspecified, or best available.
std::int64_t nanoseconds(const rmw_time_t& time) {
  const auto total = rmw_time_total_nsec(time);
  const bool is_unbounded = rmw_time_equal(time, RMW_DURATION_INFINITE) || is_best(time);
  return is_unbounded ? 0 : total;
}

rmw_time_t to_time(std::int64_t nanoseconds) {
  return nanoseconds == 0 ? rmw_time_t RMW_DURATION_INFINITE : rmw_time_from_nsec(nanoseconds);
}

QoSProfile to_pool(const rmw_qos_profile_t& qos) {
  QoSProfile profile;
  profile.history = qos.history == RMW_QOS_POLICY_HISTORY_KEEP_ALL ? HistoryPolicy::keep_all
                                                                   : HistoryPolicy::keep_last;
  profile.reliability = qos.reliability == RMW_QOS_POLICY_RELIABILITY_BEST_EFFORT
                            ? ReliabilityPolicy::best_effort
                            : ReliabilityPolicy::reliable;
  profile.durability = qos.durability == RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL
                           ? DurabilityPolicy::transient_local
                           : DurabilityPolicy::volatile_;
  profile.liveliness = qos.liveliness == RMW_QOS_POLICY_LIVELINESS_MANUAL_BY_TOPIC
                           ? LivelinessPolicy::manual_by_topic
                           : LivelinessPolicy::automatic;
  const bool is_all = profile.history == HistoryPolicy::keep_all;
  const std::size_t depth = is_all ? std::max<std::size_t>(qos.depth, keep_all_depth) : qos.depth;
  profile.depth = static_cast<std::uint32_t>(std::clamp<std::size_t>(depth, 1, greatest_depth));
  profile.max_held = max_held;
  profile.deadline_ns = nanoseconds(qos.deadline);
  profile.lifespan_ns = nanoseconds(qos.lifespan);
  profile.liveliness_lease_ns = nanoseconds(qos.liveliness_lease_duration);
  return profile;
}

using Others = std::span<const EndpointInfo>;

template <typename Is>
bool all_are(Others others, const Is& is) {
  return std::all_of(others.begin(), others.end(),
                     [&](const EndpointInfo& other) { return is(other.description.qos); });
}

/// Of a deadline or lease (0: infinite) the longest that others have, which all of them keep; or
/// the shortest, which is enough for all of them.
std::int64_t longest(Others others, std::int64_t QoSProfile::*period) {
  std::int64_t found = 0;
  for (const EndpointInfo& other : others) {
    const std::int64_t theirs = other.description.qos.*period;
    if (theirs == 0) {
      return 0;
    }
    found = std::max(found, theirs);
  }
  return found;
}
std::int64_t shortest(Others others, std::int64_t QoSProfile::*period) {
  std::int64_t found = 0;
  for (const EndpointInfo& other : others) {
    const std::int64_t theirs = other.description.qos.*period;
    found = theirs != 0 && (found == 0 || theirs < found) ? theirs : found;
  }
  return found;
}

/// As rmw_dds_common has it: a subscription asks for what all publishers offer. A publisher offers
/// what costs none of its subscriptions anything, and else what the strictest of them asks for.
void choose_best(rmw_qos_profile_t& qos, Others others, EndpointKind facing) {
  const bool offers = facing == EndpointKind::reader;
  if (qos.reliability == RMW_QOS_POLICY_RELIABILITY_BEST_AVAILABLE) {
    const bool reliable = offers || all_are(others, [](const auto& other) {
                            return other.reliability == ReliabilityPolicy::reliable;
                          });
    qos.reliability =
        reliable ? RMW_QOS_POLICY_RELIABILITY_RELIABLE : RMW_QOS_POLICY_RELIABILITY_BEST_EFFORT;
  }
  if (qos.durability == RMW_QOS_POLICY_DURABILITY_BEST_AVAILABLE) {
    const bool keeps = offers || all_are(others, [](const auto& other) {
                         return other.durability == DurabilityPolicy::transient_local;
                       });
    qos.durability =
        keeps ? RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL : RMW_QOS_POLICY_DURABILITY_VOLATILE;
  }
  if (qos.liveliness == RMW_QOS_POLICY_LIVELINESS_BEST_AVAILABLE) {
    const auto is = [](LivelinessPolicy policy) {
      return [policy](const auto& other) { return other.liveliness == policy; };
    };
    const bool manual = offers ? !all_are(others, is(LivelinessPolicy::automatic))
                               : all_are(others, is(LivelinessPolicy::manual_by_topic));
    qos.liveliness = manual && !others.empty() ? RMW_QOS_POLICY_LIVELINESS_MANUAL_BY_TOPIC
                                               : RMW_QOS_POLICY_LIVELINESS_AUTOMATIC;
  }
  const auto choose = [&](rmw_time_t& time, std::int64_t QoSProfile::*period) {
    if (is_best(time)) {
      time = to_time(offers ? shortest(others, period) : longest(others, period));
    }
  };
  choose(qos.deadline, &QoSProfile::deadline_ns);
  choose(qos.liveliness_lease_duration, &QoSProfile::liveliness_lease_ns);
}

}  // namespace

bool is_best(const rmw_time_t& time) {
  constexpr rmw_time_t best_available = RMW_QOS_DEADLINE_BEST_AVAILABLE;  // a lease's, too
  return rmw_time_equal(time, best_available);
}

bool wants_best(const rmw_qos_profile_t& qos) {
  return qos.reliability == RMW_QOS_POLICY_RELIABILITY_BEST_AVAILABLE ||
         qos.durability == RMW_QOS_POLICY_DURABILITY_BEST_AVAILABLE ||
         qos.liveliness == RMW_QOS_POLICY_LIVELINESS_BEST_AVAILABLE || is_best(qos.deadline) ||
         is_best(qos.liveliness_lease_duration);
}

rmw_qos_profile_t actual_qos(rmw_qos_profile_t wanted, Others others, EndpointKind facing) {
  if (wanted.history == RMW_QOS_POLICY_HISTORY_SYSTEM_DEFAULT) {
    wanted.history = RMW_QOS_POLICY_HISTORY_KEEP_LAST;
    wanted.depth = wanted.depth == 0 ? default_depth : wanted.depth;
  }
  if (wanted.depth == 0 && wanted.history == RMW_QOS_POLICY_HISTORY_KEEP_LAST) {
    wanted.depth = 1;
  }
  if (wanted.reliability == RMW_QOS_POLICY_RELIABILITY_SYSTEM_DEFAULT) {
    wanted.reliability = RMW_QOS_POLICY_RELIABILITY_RELIABLE;
  }
  if (wanted.durability == RMW_QOS_POLICY_DURABILITY_SYSTEM_DEFAULT) {
    wanted.durability = RMW_QOS_POLICY_DURABILITY_VOLATILE;
  }
  if (wanted.liveliness == RMW_QOS_POLICY_LIVELINESS_SYSTEM_DEFAULT) {
    wanted.liveliness = RMW_QOS_POLICY_LIVELINESS_AUTOMATIC;
  }
  choose_best(wanted, others, facing);
  wanted.deadline = to_time(nanoseconds(wanted.deadline));
  wanted.lifespan = to_time(nanoseconds(wanted.lifespan));
  wanted.liveliness_lease_duration = to_time(nanoseconds(wanted.liveliness_lease_duration));
  return wanted;
}

rmw_qos_profile_t actual_service_qos(rmw_qos_profile_t wanted) {
  if (wanted.durability == RMW_QOS_POLICY_DURABILITY_BEST_AVAILABLE) {
    wanted.durability = RMW_QOS_POLICY_DURABILITY_VOLATILE;
  }
  return actual_qos(wanted, {}, EndpointKind::writer);
}

QoSProfile writer_qos(const rmw_qos_profile_t& qos) {
  QoSProfile profile = to_pool(qos);
  if (profile.durability == DurabilityPolicy::volatile_) {
    profile.depth = std::max(profile.depth, least_depth);
  }
  return profile;
}

QoSProfile reader_qos(const rmw_qos_profile_t& qos) { return to_pool(qos); }

QoSProfile service_qos(const rmw_qos_profile_t& qos) {
  QoSProfile profile = to_pool(qos);
  profile.history = HistoryPolicy::keep_all;
  profile.depth = std::max<std::uint32_t>(
      service_depth, static_cast<std::uint32_t>(std::min<std::size_t>(qos.depth, 1000)));
  return profile;
}

rmw_qos_profile_t to_rmw(const QoSProfile& qos) {
  rmw_qos_profile_t profile = rmw_qos_profile_default;
  profile.history = qos.history == HistoryPolicy::keep_all ? RMW_QOS_POLICY_HISTORY_KEEP_ALL
                                                           : RMW_QOS_POLICY_HISTORY_KEEP_LAST;
  profile.depth = qos.depth;
  profile.reliability = qos.reliability == ReliabilityPolicy::reliable
                            ? RMW_QOS_POLICY_RELIABILITY_RELIABLE
                            : RMW_QOS_POLICY_RELIABILITY_BEST_EFFORT;
  profile.durability = qos.durability == DurabilityPolicy::transient_local
                           ? RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL
                           : RMW_QOS_POLICY_DURABILITY_VOLATILE;
  profile.liveliness = qos.liveliness == LivelinessPolicy::manual_by_topic
                           ? RMW_QOS_POLICY_LIVELINESS_MANUAL_BY_TOPIC
                           : RMW_QOS_POLICY_LIVELINESS_AUTOMATIC;
  profile.deadline = to_time(qos.deadline_ns);
  profile.lifespan = to_time(qos.lifespan_ns);
  profile.liveliness_lease_duration = to_time(qos.liveliness_lease_ns);
  return profile;
}

rmw_qos_policy_kind_t to_rmw(ligament::pool::QosPolicyKind policy) {
  using ligament::pool::QosPolicyKind;
  switch (policy) {
    case QosPolicyKind::none:
      return RMW_QOS_POLICY_INVALID;
    case QosPolicyKind::reliability:
      return RMW_QOS_POLICY_RELIABILITY;
    case QosPolicyKind::durability:
      return RMW_QOS_POLICY_DURABILITY;
    case QosPolicyKind::deadline:
      return RMW_QOS_POLICY_DEADLINE;
    // DDS has one policy for the two, so this is what other middlewares say and programs expect.
    case QosPolicyKind::liveliness:
    case QosPolicyKind::liveliness_lease:
      return RMW_QOS_POLICY_LIVELINESS;
  }
  return RMW_QOS_POLICY_INVALID;
}

}  // namespace rmw_ligament_cpp
