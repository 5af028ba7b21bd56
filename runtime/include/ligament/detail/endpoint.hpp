// SPDX-License-Identifier: Apache-2.0
/// \file What endpoints are made from, and the type-erased side of nodes that they see. Not
/// promised.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <ligament/callback_group.hpp>
#include <ligament/detail/pool.hpp>
#include <ligament/events.hpp>
#include <ligament/message_traits.hpp>
#include <ligament/qos.hpp>
#include <memory>
#include <string>
#include <string_view>

namespace ligament {
struct TypeTable;
}

namespace ligament::detail {

struct NodeState;
struct SubscriptionState;

/// A message type as it is compared at match time, and as the node describes it to others.
struct TypeIdentity {
  std::string_view name;
  std::array<std::uint8_t, 32> hash{};
  const TypeTable* table = nullptr;
};

template <typename Message>
[[nodiscard]] TypeIdentity type_identity() {
  using Traits = MessageTraits<Message>;
  return {Traits::name, Traits::type_hash, &Traits::table()};
}

/// From now on the node describes this type, and those inside it, to who asks; null: nothing new.
void note_type(NodeState& node, const TypeTable* table);

/// An opened (or, where opening failed, empty) writer with what belongs to it.
struct PublisherParts {
  std::shared_ptr<NodeState> node;
  std::string topic;
  QoSProfile qos;
  std::size_t bound_bytes = 0;
  std::unique_ptr<pool::Writer> writer;
  PublisherEventCallbacks events;
  bool exchange = false;  ///< an end of a service, no topic of its own in traces of ROS 2
  TopicMode mode = TopicMode::shared;
  std::shared_ptr<CallbackGroup> group = nullptr;
};

/// The same for a reader.
struct SubscriptionParts {
  std::shared_ptr<NodeState> node;
  std::string topic;
  QoSProfile qos;
  std::unique_ptr<pool::Reader> reader;
  SubscriptionEventCallbacks events;
  bool selective = false;    ///< asked for each sample whether it is wanted
  bool ignores_own = false;  ///< messages of its node's own publishers
  TopicMode mode = TopicMode::shared;
  std::shared_ptr<CallbackGroup> group = nullptr;
};

/// Lets trace::Span name a node by its state.
struct NodeTrace {
  const NodeState& state;
  [[nodiscard]] std::uint64_t trace_handle() const;
};

}  // namespace ligament::detail
