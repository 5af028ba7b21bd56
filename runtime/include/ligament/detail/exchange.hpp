// SPDX-License-Identifier: Apache-2.0
/// \file What servers and clients of services are made from: two topics of the pool, one for the
/// requests and one for the replies (spec/wire/service.md). Not promised.
#pragma once

#include <cstdint>
#include <ligament/callback_group.hpp>
#include <ligament/detail/composed_types.hpp>
#include <ligament/detail/endpoint.hpp>
#include <ligament/publisher.hpp>
#include <ligament/qos.hpp>
#include <ligament/subscription.hpp>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace ligament::detail {

struct NodeState;

enum class ServiceRole : std::uint8_t { server, client };

/// The message types of a service as they are compared at match time.
struct ServiceTypes {
  std::string_view name;
  TypeIdentity request;
  TypeIdentity response;
  const TypeTable* table = nullptr;  ///< of the service as a type of its own
};

template <typename T>
[[nodiscard]] ServiceTypes service_types() {
  return {T::name, type_identity<typename T::Request>(), type_identity<typename T::Response>(),
          service_table<T>()};
}

/// What a node wants of a server or client beside its name and types.
struct ServiceWish {
  QoS qos;
  std::shared_ptr<CallbackGroup> group;  ///< null: the node's own
};

/// The opened (or, where opening failed, empty) ends of one server or client.
struct ServiceEnds {
  std::string name;  ///< of the service, resolved
  SubscriptionParts in;
  PublisherParts out;
};

/// Publishes requests or replies: each message says which request it is or answers. Several threads
/// may send at once; they take turns, since a publisher has few loans.
template <typename Message>
class ExchangePublisher final : public Publisher<Message> {
 public:
  using Publisher<Message>::Publisher;

  PublishResult send_as(const Message& message, const pool::RequestIdentity& request) {
    const std::lock_guard lock(mutex_);
    return this->publish_as(message, {0, request});
  }
  PublishResult send_as(LoanedMessage<Message>&& message, const pool::RequestIdentity& request) {
    const std::lock_guard lock(mutex_);
    return this->publish_as(std::move(message), {0, request});
  }

 private:
  std::mutex mutex_;
};

}  // namespace ligament::detail
