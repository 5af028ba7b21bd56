// SPDX-License-Identifier: Apache-2.0
#include "trace/ros2_names.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ligament/detail/ros2_marks.hpp>
#include <memory>

#include "node/node_state.hpp"

namespace ligament::trace::ros2 {

namespace {

/// As long as ros2_tracing records it; what is ours comes first.
using RecordedGid = std::array<std::uint8_t, 24>;

template <typename Bytes>
RecordedGid padded(const Bytes& bytes) {
  RecordedGid gid{};
  std::copy(bytes.begin(), bytes.end(), gid.begin());
  return gid;
}

std::array<std::uint8_t, 8> bytes_of(std::uint64_t id) {
  std::array<std::uint8_t, 8> bytes{};
  for (std::size_t place = 0; place < bytes.size(); ++place) {
    bytes[place] = static_cast<std::uint8_t>(id >> (8 * place));
  }
  return bytes;
}

void tell_callback(const CallbackOwner& owner) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> readable(
      abi::__cxa_demangle(owner.type.name(), nullptr, nullptr, &status), &std::free);
  rclcpp_callback_register(handle(owner.id), status == 0 ? readable.get() : owner.type.name());
}

}  // namespace

void tell_publisher(const ligament::detail::PublisherParts& parts) {
  if (!enabled() || parts.writer == nullptr || parts.exchange) {
    return;
  }
  const std::uint64_t own = handle(parts.writer->id());
  rmw_publisher_init(own, padded(parts.writer->gid()).data());
  rcl_publisher_init(own, handle(parts.node->hash), own, parts.topic.c_str(), parts.qos.depth);
}

void tell_subscription(const ligament::detail::SubscriptionParts& parts, const void* object) {
  if (!enabled() || parts.reader == nullptr || parts.selective) {
    return;
  }
  const std::uint64_t own = handle(parts.reader->id());
  rmw_subscription_init(own, padded(bytes_of(parts.reader->id())).data());
  rcl_subscription_init(own, handle(parts.node->hash), own, parts.topic.c_str(), parts.qos.depth);
  rclcpp_subscription_init(own, handle(object));
}

void tell_subscription_callback(const CallbackOwner& owner, const void* subscription) {
  if (enabled()) {
    rclcpp_subscription_callback_added(handle(subscription), handle(owner.id));
    tell_callback(owner);
  }
}

void tell_service_callback(const CallbackOwner& owner) {
  if (enabled()) {
    rclcpp_service_callback_added(handle(owner.id), handle(owner.id));
    tell_callback(owner);
  }
}

void tell_timer(const CallbackOwner& owner, std::uint64_t node, std::int64_t period_ns) {
  if (enabled()) {
    rcl_timer_init(handle(owner.id), period_ns);
    rclcpp_timer_callback_added(handle(owner.id), handle(owner.id));
    tell_callback(owner);
    rclcpp_timer_link_node(handle(owner.id), handle(node));
  }
}

}  // namespace ligament::trace::ros2
