// SPDX-License-Identifier: Apache-2.0
/// \file All that a node's author needs. Message headers are included one by one, as in ROS 2:
///
///   #include <ligament/ligament.hpp>
///   #include <ligament/sensor_msgs/msg/image.hpp>
#pragma once

#include <ligament/callback_group.hpp>
#include <ligament/client.hpp>
#include <ligament/clock.hpp>
#include <ligament/component.hpp>
#include <ligament/context.hpp>
#include <ligament/events.hpp>
#include <ligament/executor.hpp>
#include <ligament/expected.hpp>
#include <ligament/lifecycle_node.hpp>
#include <ligament/log_throttle.hpp>
#include <ligament/logging.hpp>
#include <ligament/names.hpp>
#include <ligament/node.hpp>
#include <ligament/node_options.hpp>
#include <ligament/parameter.hpp>
#include <ligament/publisher.hpp>
#include <ligament/qos.hpp>
#include <ligament/sample.hpp>
#include <ligament/service.hpp>
#include <ligament/span.hpp>
#include <ligament/subscription.hpp>
#include <ligament/timer.hpp>
#include <ligament/trace.hpp>
