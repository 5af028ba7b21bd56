// SPDX-License-Identifier: Apache-2.0
/// \file The start-up events of the provider `ros2`, told by what they tell of. Each does nothing
/// where that provider is not loaded.
#pragma once

#include <cstdint>
#include <ligament/detail/endpoint.hpp>
#include <string>
#include <typeinfo>

namespace ligament::trace::ros2 {

void tell_publisher(const ligament::detail::PublisherParts& parts);
/// `object`: the subscription that owns the reader.
void tell_subscription(const ligament::detail::SubscriptionParts& parts, const void* object);

/// What has a callback, and the function behind it.
struct CallbackOwner {
  std::uint64_t id;
  const std::type_info& type;
};
void tell_subscription_callback(const CallbackOwner& owner, const void* subscription);
void tell_service_callback(const CallbackOwner& owner);
void tell_timer(const CallbackOwner& owner, std::uint64_t node, std::int64_t period_ns);

}  // namespace ligament::trace::ros2
