// SPDX-License-Identifier: Apache-2.0
#include "transport/dds/qos.hpp"

#include <array>

namespace ligament::dds {

namespace {

/// A reliable write does not wait for room: the outbound route does, and other topics go on
/// meanwhile.
constexpr dds_duration_t max_blocking = 0;

/// Infinite is 0 here and DDS_INFINITY there.
dds_duration_t to_duration(std::int64_t ns) { return ns == 0 ? DDS_INFINITY : ns; }
std::int64_t from_duration(dds_duration_t duration) {
  return duration == DDS_INFINITY ? 0 : duration;
}

}  // namespace

EngineQos to_engine(const QoSProfile& profile) {
  EngineQos qos(dds_create_qos());
  const auto depth = static_cast<std::int32_t>(profile.depth);
  if (profile.history == HistoryPolicy::keep_all) {
    dds_qset_history(qos.get(), DDS_HISTORY_KEEP_ALL, DDS_LENGTH_UNLIMITED);
    dds_qset_resource_limits(qos.get(), depth, DDS_LENGTH_UNLIMITED, DDS_LENGTH_UNLIMITED);
  } else {
    dds_qset_history(qos.get(), DDS_HISTORY_KEEP_LAST, depth);
  }
  const bool latched = profile.durability == DurabilityPolicy::transient_local;
  dds_qset_durability(qos.get(),
                      latched ? DDS_DURABILITY_TRANSIENT_LOCAL : DDS_DURABILITY_VOLATILE);
  if (latched) {
    dds_qset_durability_service(qos.get(), 0, DDS_HISTORY_KEEP_LAST, depth, DDS_LENGTH_UNLIMITED,
                                DDS_LENGTH_UNLIMITED, DDS_LENGTH_UNLIMITED);
  }
  dds_qset_reliability(qos.get(),
                       profile.reliability == ReliabilityPolicy::reliable
                           ? DDS_RELIABILITY_RELIABLE
                           : DDS_RELIABILITY_BEST_EFFORT,
                       max_blocking);
  dds_qset_deadline(qos.get(), to_duration(profile.deadline_ns));
  dds_qset_lifespan(qos.get(), to_duration(profile.lifespan_ns));
  dds_qset_liveliness(qos.get(),
                      profile.liveliness == LivelinessPolicy::automatic
                          ? DDS_LIVELINESS_AUTOMATIC
                          : DDS_LIVELINESS_MANUAL_BY_TOPIC,
                      to_duration(profile.liveliness_lease_ns));
  const std::array<dds_data_representation_id_t, 1> plain{DDS_DATA_REPRESENTATION_XCDR1};
  dds_qset_data_representation(qos.get(), plain.size(), plain.data());
  dds_qset_writer_data_lifecycle(qos.get(), false);
  return qos;
}

QoSProfile from_engine(const dds_qos_t& qos) {
  QoSProfile profile;
  dds_duration_t duration = 0;
  dds_history_kind_t history = DDS_HISTORY_KEEP_LAST;
  std::int32_t depth = 0;
  if (dds_qget_history(&qos, &history, &depth) && depth > 0) {
    profile.depth = static_cast<std::uint32_t>(depth);
  }
  if (history == DDS_HISTORY_KEEP_ALL) {
    profile.history = HistoryPolicy::keep_all;
  }
  dds_reliability_kind_t reliability = DDS_RELIABILITY_BEST_EFFORT;
  (void)dds_qget_reliability(&qos, &reliability, &duration);
  profile.reliability = reliability == DDS_RELIABILITY_RELIABLE ? ReliabilityPolicy::reliable
                                                                : ReliabilityPolicy::best_effort;
  dds_durability_kind_t durability = DDS_DURABILITY_VOLATILE;
  (void)dds_qget_durability(&qos, &durability);
  profile.durability = durability == DDS_DURABILITY_VOLATILE ? DurabilityPolicy::volatile_
                                                             : DurabilityPolicy::transient_local;
  if (dds_qget_deadline(&qos, &duration)) {
    profile.deadline_ns = from_duration(duration);
  }
  if (dds_qget_lifespan(&qos, &duration)) {
    profile.lifespan_ns = from_duration(duration);
  }
  dds_liveliness_kind_t liveliness = DDS_LIVELINESS_AUTOMATIC;
  if (dds_qget_liveliness(&qos, &liveliness, &duration)) {
    profile.liveliness = liveliness == DDS_LIVELINESS_MANUAL_BY_TOPIC
                             ? LivelinessPolicy::manual_by_topic
                             : LivelinessPolicy::automatic;
    profile.liveliness_lease_ns = from_duration(duration);
  }
  return profile;
}

}  // namespace ligament::dds
