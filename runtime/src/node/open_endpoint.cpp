// SPDX-License-Identifier: Apache-2.0
/// \file From a node's wish for an endpoint to an opened writer or reader: name, QoS, type, bound.
#include <algorithm>
#include <ligament/node.hpp>
#include <ligament/trace.hpp>
#include <optional>

#include "node/context_state.hpp"
#include "node/node_state.hpp"

namespace ligament {

QoSProfile QoSOverrides::apply_to(QoSProfile profile) const {
  profile.history = history.value_or(profile.history);
  profile.reliability = reliability.value_or(profile.reliability);
  profile.durability = durability.value_or(profile.durability);
  profile.liveliness = liveliness.value_or(profile.liveliness);
  profile.depth = depth.value_or(profile.depth);
  profile.max_held = max_held.value_or(profile.max_held);
  profile.deadline_ns = deadline_ns.value_or(profile.deadline_ns);
  profile.lifespan_ns = lifespan_ns.value_or(profile.lifespan_ns);
  profile.liveliness_lease_ns = liveliness_lease_ns.value_or(profile.liveliness_lease_ns);
  return profile;
}

namespace {

using detail::NodeState;

/// An endpoint as the graph wants it.
struct Wish {
  pool::EndpointDescription description;
  TopicOptions topic;
};

/// Nothing, and an error of the node, where the wish cannot be granted.
std::optional<Wish> make_wish(NodeState& node, const std::string& topic,
                              const detail::TypeIdentity& type, const QoSProfile& qos) {
  auto resolved = resolve_name(topic, node.place, node.remaps);
  if (!resolved) {
    node.report(NodeErrorKind::configuration, resolved.error().text);
    return std::nullopt;
  }
  TopicOptions options;
  if (const auto found = node.topics.find(*resolved); found != node.topics.end()) {
    options = found->second;
  }
  if (!options.message.empty() && options.message != type.name) {
    node.report(NodeErrorKind::configuration, "topic '" + *resolved + "' carries " +
                                                  options.message + ", but node '" + node.id +
                                                  "' uses it with " + std::string(type.name));
    return std::nullopt;
  }
  QoSProfile profile = options.qos.apply_to(qos);
  if (const auto port = node.port_qos.find(topic); port != node.port_qos.end()) {
    const auto own = profile.max_held;
    profile = port->second.apply_to(profile);
    profile.max_held = std::max(profile.max_held, own);
  }
  Wish wish{{.topic = std::move(*resolved),
             .type_name = std::string(type.name),
             .node = node.id,
             .type_hash = type.hash,
             .qos = profile},
            std::move(options)};
  if (wish.topic.queue) {  // another type: whoever expects payloads in the pool does not match
    wish.description.type_name += "@device";
    wish.description.type_hash.back() ^= 0xff;
  }
  return wish;
}

void report_failure(NodeState& node, const char* what, const std::string& topic,
                    const pool::EndpointError& error) {
  const bool configuration = error.code == pool::EndpointErrorCode::bad_description;
  node.report(configuration ? NodeErrorKind::configuration : NodeErrorKind::system,
              std::string(what) + " on '" + topic + "' of node '" + node.id + "': " + error.text);
}

struct Kind {
  const char* what;
  const detail::TypeIdentity& type;
};

/// Resolves topic and QoS into `parts`, and opens the end; null, with an error of the node that
/// says why, where that cannot be.
template <typename Parts, typename Open>
auto open_endpoint(Parts& parts, const Kind& kind, const Open& open)
    -> std::remove_cvref_t<decltype(*open(*parts.node->context, std::declval<const Wish&>()))> {
  NodeState& node = *parts.node;
  const auto wish = make_wish(node, parts.topic, kind.type, parts.qos);
  if (!wish) {
    return nullptr;
  }
  parts.topic = wish->description.topic;
  parts.qos = wish->description.qos;
  if (node.context == nullptr) {
    return nullptr;  // told when the node was made
  }
  auto opened = open(*node.context, *wish);
  if (!opened) {
    report_failure(node, kind.what, parts.topic, opened.error());
    return nullptr;
  }
  detail::note_type(node, kind.type.table);
  trace::topic_init(name_hash(parts.topic), parts.topic.c_str(),
                    wish->description.type_name.c_str());
  return std::move(*opened);
}

}  // namespace

detail::PublisherParts Node::open_publisher(const std::string& topic,
                                            const detail::TypeIdentity& type, const QoS& qos,
                                            const PublisherOptions& options) {
  detail::PublisherParts parts{state_, topic, qos.profile(), 0, nullptr, options.event_callbacks};
  parts.group = state_->group_or_own(options.callback_group);
  const auto open = [&](Context& context, const Wish& wish) {
    parts.bound_bytes = wish.topic.bound_bytes;
    parts.mode = wish.topic.mode;
    pool::WriterOptions writer;
    writer.max_loans = options.max_loans;
    writer.max_bytes =
        wish.topic.bound_bytes == 0 ? 0 : wish.topic.bound_bytes + options.front_bytes;
    writer.ring = std::max(wish.topic.ring, options.ring);
    writer.device = wish.topic.device;
    writer.waiter = context.state().waiter.get();
    writer.successor = context.state().takes_over();
    auto& state = context.state();
    if (const auto ns = state.patience_in(state.patience_ns, wish.description.topic)) {
      writer.max_blocking_ns = *ns;
      writer.spares_working = true;
    }
    return context.domain()->create_writer(wish.description, writer);
  };
  parts.writer = open_endpoint(parts, {"the publisher", type}, open);
  if (parts.writer != nullptr) {
    trace::publisher_init(parts.writer->id(), name_hash(parts.topic), state_->hash);
  }
  return parts;
}

detail::SubscriptionParts Node::open_subscription(const std::string& topic,
                                                  const detail::TypeIdentity& type, const QoS& qos,
                                                  const SubscriptionOptions& options) {
  detail::SubscriptionParts parts{state_, topic, qos.profile(), nullptr, options.event_callbacks};
  parts.group = state_->group_or_own(options.callback_group);
  const auto open = [&](Context& context, const Wish& wish) {
    parts.mode = wish.topic.mode;
    parts.ignores_own = options.ignore_local_publications;
    pool::ReaderOptions reader;
    reader.device = options.device;
    reader.resting = context.state().takes_over();
    return context.domain()->create_reader(wish.description, *context.state().waiter, reader);
  };
  parts.reader = open_endpoint(parts, {"the subscription", type}, open);
  if (parts.reader != nullptr) {
    trace::subscription_init(parts.reader->id(), name_hash(parts.topic), state_->hash);
  }
  return parts;
}

void Node::set_kernel_figures(std::function<detail::KernelFigures()> figures) {
  const std::lock_guard lock(state_->mutex);
  state_->kernel_figures = std::move(figures);
}

void Node::set_core_figures(std::function<detail::CoreFigures()> figures) {
  const std::lock_guard lock(state_->mutex);
  state_->core_figures = std::move(figures);
}

void Node::add(const std::shared_ptr<PublisherBase>& publisher) {
  state_->add(state_->publishers, publisher, publisher->wants_events());
}

void Node::add(const std::shared_ptr<SubscriptionBase>& subscription) {
  state_->add(state_->subscriptions, subscription);
}

}  // namespace ligament
