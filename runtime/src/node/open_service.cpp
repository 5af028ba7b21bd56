// SPDX-License-Identifier: Apache-2.0
/// \file From a node's wish for a server or client to the two ends that it consists of.
#include <ligament/detail/ros2_marks.hpp>
#include <ligament/node.hpp>
#include <ligament/trace.hpp>

#include "node/context_state.hpp"
#include "node/node_state.hpp"

namespace ligament {
namespace {

using detail::NodeState;
using detail::ServiceRole;

/// The names of DDS without their first slash: no topic of a user can be one.
std::string request_topic(const std::string& service) { return "rq" + service + "Request"; }
std::string reply_topic(const std::string& service) { return "rr" + service + "Reply"; }

const char* word(ServiceRole role) { return role == ServiceRole::server ? "server" : "client"; }

pool::EndpointDescription describe(const NodeState& node, const std::string& topic,
                                   const detail::TypeIdentity& type, const QoSProfile& qos) {
  return {.topic = topic,
          .type_name = std::string(type.name),
          .node = node.id,
          .type_hash = type.hash,
          .qos = qos};
}

void report_failure(NodeState& node, ServiceRole role, const std::string& service,
                    const pool::EndpointError& error) {
  const bool configuration = error.code == pool::EndpointErrorCode::bad_description;
  node.report(configuration ? NodeErrorKind::configuration : NodeErrorKind::system,
              "the " + std::string(word(role)) + " of '" + service + "' of node '" + node.id +
                  "': " + error.text);
}

/// Both ends, the way in first: whoever sees the way out of this process can answer it.
expected<void, pool::EndpointError> open_ends(detail::ServiceEnds& ends,
                                              const detail::TypeIdentity& in_type,
                                              const detail::TypeIdentity& out_type) {
  NodeState& node = *ends.in.node;
  Context& context = *node.context;
  pool::Waiter& waiter = *context.state().waiter;
  pool::ReaderOptions reading;
  reading.resting = context.state().takes_over();
  auto reader = context.domain()->create_reader(describe(node, ends.in.topic, in_type, ends.in.qos),
                                                waiter, reading);
  if (!reader) {
    return unexpected<pool::EndpointError>(reader.error());
  }
  pool::WriterOptions options;
  options.max_blocking_ns = pool::service_blocking_ns;
  options.waiter = &waiter;
  options.successor = context.state().takes_over();
  auto& state = context.state();
  const auto found = state.patience_in(state.service_patience_ns, ends.name);
  if (found && ends.out.topic == request_topic(ends.name)) {
    options.max_blocking_ns = *found;
    options.spares_working = true;
  }
  if (const auto ns = state.patience_in(state.patience_ns, ends.out.topic)) {
    options.max_blocking_ns = *ns;
  }
  auto writer = context.domain()->create_writer(
      describe(node, ends.out.topic, out_type, ends.out.qos), options);
  if (!writer) {
    return unexpected<pool::EndpointError>(writer.error());
  }
  ends.in.reader = std::move(*reader);
  ends.out.writer = std::move(*writer);
  return {};
}

void trace_ends(const detail::ServiceEnds& ends, const detail::TypeIdentity& in_type,
                const detail::TypeIdentity& out_type) {
  const NodeState& node = *ends.in.node;
  const auto in = name_hash(ends.in.topic);
  const auto out = name_hash(ends.out.topic);
  trace::topic_init(in, ends.in.topic.c_str(), std::string(in_type.name).c_str());
  trace::topic_init(out, ends.out.topic.c_str(), std::string(out_type.name).c_str());
  trace::subscription_init(ends.in.reader->id(), in, node.hash);
  trace::publisher_init(ends.out.writer->id(), out, node.hash);
}

/// The end that takes stands for the server or client.
void tell_ros2(const detail::ServiceEnds& ends, ServiceRole role) {
  const auto own = trace::ros2::handle(ends.in.reader->id());
  const auto node = trace::ros2::handle(ends.in.node->hash);
  if (role == ServiceRole::server) {
    trace::ros2::rcl_service_init(own, node, own, ends.name.c_str());
  } else {
    trace::ros2::rcl_client_init(own, node, own, ends.name.c_str());
  }
}

}  // namespace

detail::ServiceEnds Node::open_service(const std::string& name, const detail::ServiceTypes& types,
                                       const detail::ServiceWish& wish, detail::ServiceRole role) {
  const bool serves = role == ServiceRole::server;
  detail::ServiceEnds ends{name,
                           {state_, name, wish.qos.profile(), nullptr, {}, true},
                           {state_, name, wish.qos.profile(), 0, nullptr, {}, true}};
  ends.in.group = state_->group_or_own(wish.group);
  ends.out.group = ends.in.group;
  auto resolved = resolve_name(name, state_->place, state_->remaps);
  if (!resolved) {
    state_->report(NodeErrorKind::configuration, resolved.error().text);
    return ends;
  }
  ends.name = *resolved;
  ends.in.topic = serves ? request_topic(*resolved) : reply_topic(*resolved);
  ends.out.topic = serves ? reply_topic(*resolved) : request_topic(*resolved);
  if (state_->context == nullptr) {
    return ends;  // told when the node was made
  }
  const auto& in_type = serves ? types.request : types.response;
  const auto& out_type = serves ? types.response : types.request;
  if (auto opened = open_ends(ends, in_type, out_type); !opened) {
    report_failure(*state_, role, ends.name, opened.error());
  } else {
    detail::note_type(*state_, types.table);
    trace_ends(ends, in_type, out_type);
    tell_ros2(ends, role);
  }
  return ends;
}

void Node::add(const std::shared_ptr<ServiceBase>& service) {
  state_->add(state_->services, service);
}

void Node::add(const std::shared_ptr<ClientBase>& client) { state_->add(state_->clients, client); }

}  // namespace ligament
