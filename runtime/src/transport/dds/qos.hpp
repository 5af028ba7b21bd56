// SPDX-License-Identifier: Apache-2.0
/// \file QoS of ROS 2 as DDS has it, in both directions (spec/wire/dds.md, section 3).
#pragma once

#include <dds/dds.h>

#include <ligament/qos.hpp>
#include <memory>

namespace ligament::dds {

struct QosDeleter {
  void operator()(dds_qos_t* qos) const { dds_delete_qos(qos); }
};
using EngineQos = std::unique_ptr<dds_qos_t, QosDeleter>;

[[nodiscard]] EngineQos to_engine(const QoSProfile& profile);
/// Policies that discovery does not carry keep their defaults.
[[nodiscard]] QoSProfile from_engine(const dds_qos_t& qos);

}  // namespace ligament::dds
