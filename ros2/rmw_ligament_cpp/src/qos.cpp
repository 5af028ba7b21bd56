// SPDX-License-Identifier: Apache-2.0
#include "qos.hpp"

#include <rmw/error_handling.h>
#include <rmw/qos_policy_kind.h>
#include <rmw/qos_profiles.h>
#include <rmw/rmw.h>
#include <rmw/time.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "identifier.hpp"

namespace rmw_ligament_cpp {

namespace {

using ligament::DurabilityPolicy;
using ligament::HistoryPolicy;
using ligament::LivelinessPolicy;
using ligament::QoSProfile;
using ligament::ReliabilityPolicy;
using ligament::pool::EndpointInfo;

constexpr std::uint32_t default_depth = 10;  // as rmw_qos_profile_default
constexpr std::uint32_t least_depth = 10;
/// The pool's memory is bounded: a keep-all publisher waits when a subscription is so far behind.
constexpr std::uint32_t keep_all_depth = 64;
constexpr std::uint32_t service_depth = 10;
constexpr std::uint32_t greatest_depth = 1U << 20;

/// 0: infinite, unspecified, or best available.
std::int64_t nanoseconds(const rmw_time_t& time) {
  const auto total = rmw_time_total_nsec(time);
  constexpr rmw_time_t best_available = RMW_QOS_DEADLINE_BEST_AVAILABLE;
  const bool is_unbounded =
      rmw_time_equal(time, RMW_DURATION_INFINITE) || rmw_time_equal(time, best_available);
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

template <typename Is>
bool all_are(std::span<const EndpointInfo> others, const Is& is) {
  return std::all_of(others.begin(), others.end(),
                     [&](const EndpointInfo& other) { return is(other.description.qos); });
}

/// As rmw.h says of `best available`: a subscription asks for what all publishers offer; a
/// publisher offers what all policies that are asked for need, at its own price.
void choose_best(rmw_qos_profile_t& qos, std::span<const EndpointInfo> others) {
  if (qos.reliability == RMW_QOS_POLICY_RELIABILITY_BEST_AVAILABLE) {
    const bool reliable =
        all_are(others, [](const auto& o) { return o.reliability == ReliabilityPolicy::reliable; });
    qos.reliability =
        reliable ? RMW_QOS_POLICY_RELIABILITY_RELIABLE : RMW_QOS_POLICY_RELIABILITY_BEST_EFFORT;
  }
  if (qos.durability == RMW_QOS_POLICY_DURABILITY_BEST_AVAILABLE) {
    const bool keeps = all_are(
        others, [](const auto& o) { return o.durability == DurabilityPolicy::transient_local; });
    qos.durability =
        keeps ? RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL : RMW_QOS_POLICY_DURABILITY_VOLATILE;
  }
  if (qos.liveliness == RMW_QOS_POLICY_LIVELINESS_BEST_AVAILABLE) {
    const bool manual = all_are(
        others, [](const auto& o) { return o.liveliness == LivelinessPolicy::manual_by_topic; });
    qos.liveliness = manual && !others.empty() ? RMW_QOS_POLICY_LIVELINESS_MANUAL_BY_TOPIC
                                               : RMW_QOS_POLICY_LIVELINESS_AUTOMATIC;
  }
}

}  // namespace

bool wants_best(const rmw_qos_profile_t& qos) {
  return qos.reliability == RMW_QOS_POLICY_RELIABILITY_BEST_AVAILABLE ||
         qos.durability == RMW_QOS_POLICY_DURABILITY_BEST_AVAILABLE ||
         qos.liveliness == RMW_QOS_POLICY_LIVELINESS_BEST_AVAILABLE;
}

rmw_qos_profile_t actual_qos(rmw_qos_profile_t wanted, std::span<const EndpointInfo> others) {
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
  choose_best(wanted, others);
  wanted.deadline = to_time(nanoseconds(wanted.deadline));
  wanted.lifespan = to_time(nanoseconds(wanted.lifespan));
  wanted.liveliness_lease_duration = to_time(nanoseconds(wanted.liveliness_lease_duration));
  return wanted;
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

namespace {

/// What keeps the two apart for certain; empty: nothing.
std::string conflict(const QoSProfile& offered, const QoSProfile& requested) {
  const auto is_loose = [](std::int64_t has, std::int64_t wants) {
    return wants != 0 && (has == 0 || has > wants);
  };
  std::string text;
  const auto add = [&text](bool is_bad, const char* reason) {
    text += is_bad ? std::string(text.empty() ? "" : "; ") + reason : "";
  };
  add(offered.reliability < requested.reliability,
      "the publisher is best effort, the subscription wants reliable");
  add(offered.durability < requested.durability,
      "the publisher is volatile, the subscription wants transient local");
  add(is_loose(offered.deadline_ns, requested.deadline_ns),
      "the publisher's deadline is longer than the subscription's");
  add(offered.liveliness < requested.liveliness,
      "the publisher's liveliness is automatic, the subscription wants manual by topic");
  add(is_loose(offered.liveliness_lease_ns, requested.liveliness_lease_ns),
      "the publisher's liveliness lease is longer than the subscription's");
  return text;
}

/// A policy that the system or the other side decides.
bool is_open(const rmw_qos_profile_t& qos) {
  return qos.reliability == RMW_QOS_POLICY_RELIABILITY_SYSTEM_DEFAULT ||
         qos.reliability == RMW_QOS_POLICY_RELIABILITY_UNKNOWN ||
         qos.durability == RMW_QOS_POLICY_DURABILITY_SYSTEM_DEFAULT ||
         qos.durability == RMW_QOS_POLICY_DURABILITY_UNKNOWN ||
         qos.liveliness == RMW_QOS_POLICY_LIVELINESS_SYSTEM_DEFAULT ||
         qos.liveliness == RMW_QOS_POLICY_LIVELINESS_UNKNOWN;
}

}  // namespace

}  // namespace rmw_ligament_cpp

extern "C" rmw_ret_t rmw_qos_profile_check_compatible(const rmw_qos_profile_t publisher_profile,
                                                      const rmw_qos_profile_t subscription_profile,
                                                      rmw_qos_compatibility_type_t* compatibility,
                                                      char* reason, size_t reason_size) {
  using namespace rmw_ligament_cpp;
  RMW_CHECK_ARGUMENT_FOR_NULL(compatibility, RMW_RET_INVALID_ARGUMENT);
  if (reason == nullptr && reason_size != 0) {
    return fail("no room for the reason is given, but a size of it", RMW_RET_INVALID_ARGUMENT);
  }
  return guarded([&] {
    // An open policy takes the default, which is the stronger one of an offer.
    std::string text = conflict(to_pool(publisher_profile), to_pool(subscription_profile));
    *compatibility = !text.empty() ? RMW_QOS_COMPATIBILITY_ERROR : RMW_QOS_COMPATIBILITY_OK;
    if (text.empty() && (is_open(publisher_profile) || is_open(subscription_profile))) {
      *compatibility = RMW_QOS_COMPATIBILITY_WARNING;
      text = "a policy is left to the system or unknown: it may not match";
    }
    if (reason_size != 0) {
      std::snprintf(reason, reason_size, "%s", text.c_str());
    }
    return RMW_RET_OK;
  });
}
