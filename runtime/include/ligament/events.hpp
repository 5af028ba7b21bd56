// SPDX-License-Identifier: Apache-2.0
/// \file Events of publishers and subscriptions: what happened beside the messages. rclcpp's names.
///
///   ligament::SubscriptionOptions options;
///   options.event_callbacks.deadline_callback = [this](ligament::QOSDeadlineRequestedInfo& event)
///   {
///     late_ += event.total_count_change;
///   };
///   create_subscription<Image>("image", ligament::QoS(5).deadline(100ms), callback, options);
///
/// Callbacks run on the node's executor, in the callback group of their endpoint. Several
/// occurrences before a callback ran are one call: `..._change` says how many. What each event
/// means: docs/reference/qos.md. Not in rclcpp: `stalled_callback`.
#pragma once

#include <cstdint>
#include <functional>
#include <ligament/callback_group.hpp>
#include <ligament/detail/pool.hpp>
#include <memory>

namespace ligament {

/// The policy in which two ends do not match.
using QosPolicyKind = pool::QosPolicyKind;

/// A count since the endpoint was made, and since the last call.
struct EventCountInfo {
  std::uint64_t total_count = 0;
  std::uint64_t total_count_change = 0;
};
using QOSDeadlineOfferedInfo = EventCountInfo;
using QOSDeadlineRequestedInfo = EventCountInfo;
using QOSLivelinessLostInfo = EventCountInfo;
using QOSMessageLostInfo = EventCountInfo;
using IncompatibleTypeInfo = EventCountInfo;

struct IncompatibleQoSInfo {
  std::uint64_t total_count = 0;
  std::uint64_t total_count_change = 0;
  QosPolicyKind last_policy_kind = QosPolicyKind::none;
};
using QOSOfferedIncompatibleQoSInfo = IncompatibleQoSInfo;
using QOSRequestedIncompatibleQoSInfo = IncompatibleQoSInfo;

struct QOSLivelinessChangedInfo {
  std::uint64_t alive_count = 0;
  std::uint64_t not_alive_count = 0;
  std::int64_t alive_count_change = 0;
  std::int64_t not_alive_count_change = 0;
};

/// `total`: ever; `current`: now.
struct MatchedInfo {
  std::uint64_t total_count = 0;
  std::uint64_t total_count_change = 0;
  std::uint64_t current_count = 0;
  std::int64_t current_count_change = 0;
};
/// Subscriptions that this keep-all publisher does not wait for.
using StalledInfo = MatchedInfo;

using QOSDeadlineOfferedCallbackType = std::function<void(QOSDeadlineOfferedInfo&)>;
using QOSDeadlineRequestedCallbackType = std::function<void(QOSDeadlineRequestedInfo&)>;
using QOSLivelinessLostCallbackType = std::function<void(QOSLivelinessLostInfo&)>;
using QOSLivelinessChangedCallbackType = std::function<void(QOSLivelinessChangedInfo&)>;
using QOSMessageLostCallbackType = std::function<void(QOSMessageLostInfo&)>;
using QOSOfferedIncompatibleQoSCallbackType = std::function<void(QOSOfferedIncompatibleQoSInfo&)>;
using QOSRequestedIncompatibleQoSCallbackType =
    std::function<void(QOSRequestedIncompatibleQoSInfo&)>;
using IncompatibleTypeCallbackType = std::function<void(IncompatibleTypeInfo&)>;
using PublisherMatchedCallbackType = std::function<void(MatchedInfo&)>;
using SubscriptionMatchedCallbackType = std::function<void(MatchedInfo&)>;
using StalledCallbackType = std::function<void(StalledInfo&)>;

/// Those left empty are not called.
struct PublisherEventCallbacks {
  QOSDeadlineOfferedCallbackType deadline_callback;
  QOSLivelinessLostCallbackType liveliness_callback;
  QOSOfferedIncompatibleQoSCallbackType incompatible_qos_callback;
  IncompatibleTypeCallbackType incompatible_type_callback;
  PublisherMatchedCallbackType matched_callback;
  StalledCallbackType stalled_callback;
};
struct SubscriptionEventCallbacks {
  QOSDeadlineRequestedCallbackType deadline_callback;
  QOSLivelinessChangedCallbackType liveliness_callback;
  QOSRequestedIncompatibleQoSCallbackType incompatible_qos_callback;
  QOSMessageLostCallbackType message_lost_callback;
  IncompatibleTypeCallbackType incompatible_type_callback;
  SubscriptionMatchedCallbackType matched_callback;
};

struct PublisherOptions {
  PublisherEventCallbacks event_callbacks;
  std::shared_ptr<CallbackGroup> callback_group;  ///< of the events; null: the node's own
  std::uint32_t max_loans = 2;  ///< messages that may be lent and not yet published; not in rclcpp
  std::uint32_t ring = 0;  ///< messages that it keeps at least, whatever its depth; not in rclcpp
  /// Of memory that a device fills: what it may leave before a message, beside the topic's bound.
  std::uint32_t front_bytes = 0;
};
struct SubscriptionOptions {
  SubscriptionEventCallbacks event_callbacks;
  std::shared_ptr<CallbackGroup> callback_group;  ///< null: the node's own
  /// A device reads the samples, and may go on for a moment after this process was killed
  /// (spec/device/gpu.md). Generated nodes say so; not in rclcpp.
  bool device = false;
  /// Messages of publishers of the same node are passed over. (rclcpp: of the same context.)
  bool ignore_local_publications = false;
};

}  // namespace ligament
