// SPDX-License-Identifier: Apache-2.0
/// \file QoS between rmw's profiles and the pool's.
#pragma once

#include <rmw/types.h>

#include <ligament/detail/pool.hpp>
#include <ligament/qos.hpp>
#include <span>

namespace rmw_ligament_cpp {

/// Samples that a subscription may keep: taken ones that are lent, and views.
inline constexpr std::uint32_t max_held = 4;

/// What an endpoint really has: defaults of the system chosen, `best available` decided by who is
/// there (`others`: the endpoints on the other side of the topic, which are of the kind `facing`).
[[nodiscard]] rmw_qos_profile_t actual_qos(rmw_qos_profile_t wanted,
                                           std::span<const ligament::pool::EndpointInfo> others,
                                           ligament::pool::EndpointKind facing);
/// The same of a service or client, for which `best available` is the default of services: each of
/// its two ends must fit those of who comes later.
[[nodiscard]] rmw_qos_profile_t actual_service_qos(rmw_qos_profile_t wanted);

/// A deadline or lease that is to be the best available.
[[nodiscard]] bool is_best(const rmw_time_t& time);
/// Whether `others` matter: they are all endpoints of a domain, which are not read for nothing.
[[nodiscard]] bool wants_best(const rmw_qos_profile_t& qos);

/// For a writer's ring, which serves its readers from where the samples lie: at least
/// `least_depth` samples, since the readers of ROS 2 have histories of their own.
[[nodiscard]] ligament::QoSProfile writer_qos(const rmw_qos_profile_t& qos);
[[nodiscard]] ligament::QoSProfile reader_qos(const rmw_qos_profile_t& qos);
/// Keep-all in both directions, so that no request is overwritten (spec/wire/service.md).
[[nodiscard]] ligament::QoSProfile service_qos(const rmw_qos_profile_t& qos);

/// As `ros2 topic info --verbose` shows it.
[[nodiscard]] rmw_qos_profile_t to_rmw(const ligament::QoSProfile& qos);
[[nodiscard]] rmw_qos_policy_kind_t to_rmw(ligament::pool::QosPolicyKind policy);

}  // namespace rmw_ligament_cpp
