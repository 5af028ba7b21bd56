// SPDX-License-Identifier: Apache-2.0
/// Whether two QoS profiles fit, for programs that ask before they make an endpoint.
#include <rmw/error_handling.h>
#include <rmw/qos_profiles.h>

#include <cstdio>
#include <string>

#include "identifier.hpp"
#include "qos.hpp"

namespace rmw_ligament_cpp {

namespace {

using ligament::DurabilityPolicy;
using ligament::LivelinessPolicy;
using ligament::QoSProfile;
using ligament::ReliabilityPolicy;

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

/// Whatever an unknown policy is, and `best available` will be, it may fit: here it stands in
/// nobody's way.
QoSProfile fitting(const rmw_qos_profile_t& qos, bool offers) {
  QoSProfile profile = reader_qos(qos);
  if (qos.reliability == RMW_QOS_POLICY_RELIABILITY_UNKNOWN ||
      qos.reliability == RMW_QOS_POLICY_RELIABILITY_BEST_AVAILABLE) {
    profile.reliability = offers ? ReliabilityPolicy::reliable : ReliabilityPolicy::best_effort;
  }
  if (qos.durability == RMW_QOS_POLICY_DURABILITY_UNKNOWN ||
      qos.durability == RMW_QOS_POLICY_DURABILITY_BEST_AVAILABLE) {
    profile.durability = offers ? DurabilityPolicy::transient_local : DurabilityPolicy::volatile_;
  }
  if (qos.liveliness == RMW_QOS_POLICY_LIVELINESS_UNKNOWN ||
      qos.liveliness == RMW_QOS_POLICY_LIVELINESS_BEST_AVAILABLE) {
    profile.liveliness = offers ? LivelinessPolicy::manual_by_topic : LivelinessPolicy::automatic;
  }
  // To a subscription's own, infinite, every offer is short enough.
  profile.deadline_ns = offers && is_best(qos.deadline) ? 1 : profile.deadline_ns;
  profile.liveliness_lease_ns =
      offers && is_best(qos.liveliness_lease_duration) ? 1 : profile.liveliness_lease_ns;
  return profile;
}

/// Whatever a policy is that is unknown, or that the system decides, it may not fit: here it offers
/// the least, and wants the most.
QoSProfile unfitting(const rmw_qos_profile_t& qos, bool offers) {
  QoSProfile profile = fitting(qos, offers);
  if (qos.reliability == RMW_QOS_POLICY_RELIABILITY_UNKNOWN ||
      qos.reliability == RMW_QOS_POLICY_RELIABILITY_SYSTEM_DEFAULT) {
    profile.reliability = offers ? ReliabilityPolicy::best_effort : ReliabilityPolicy::reliable;
  }
  if (qos.durability == RMW_QOS_POLICY_DURABILITY_UNKNOWN ||
      qos.durability == RMW_QOS_POLICY_DURABILITY_SYSTEM_DEFAULT) {
    profile.durability = offers ? DurabilityPolicy::volatile_ : DurabilityPolicy::transient_local;
  }
  if (qos.liveliness == RMW_QOS_POLICY_LIVELINESS_UNKNOWN ||
      qos.liveliness == RMW_QOS_POLICY_LIVELINESS_SYSTEM_DEFAULT) {
    profile.liveliness = offers ? LivelinessPolicy::automatic : LivelinessPolicy::manual_by_topic;
  }
  return profile;
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
    std::string text =
        conflict(fitting(publisher_profile, true), fitting(subscription_profile, false));
    *compatibility = !text.empty() ? RMW_QOS_COMPATIBILITY_ERROR : RMW_QOS_COMPATIBILITY_OK;
    const std::string doubt =
        conflict(unfitting(publisher_profile, true), unfitting(subscription_profile, false));
    if (text.empty() && !doubt.empty()) {
      *compatibility = RMW_QOS_COMPATIBILITY_WARNING;
      text = "a policy is left to the system or unknown: it may be that " + doubt;
    }
    if (reason_size != 0) {
      std::snprintf(reason, reason_size, "%s", text.c_str());
    }
    return RMW_RET_OK;
  });
}
