// SPDX-License-Identifier: Apache-2.0
#include <exception>
#include <ligament/lifecycle_msgs/msg/state.hpp>
#include <ligament/lifecycle_msgs/msg/transition_event.hpp>
#include <ligament/lifecycle_msgs/srv/change_state.hpp>
#include <ligament/lifecycle_msgs/srv/get_available_states.hpp>
#include <ligament/lifecycle_msgs/srv/get_available_transitions.hpp>
#include <ligament/lifecycle_msgs/srv/get_state.hpp>
#include <ligament/lifecycle_node.hpp>
#include <mutex>

#include "node/node_state.hpp"

namespace ligament {
namespace {

using namespace lifecycle_msgs::srv;  // NOLINT: the four service types
using State = lifecycle_msgs::msg::State;
using TransitionEvent = lifecycle_msgs::msg::TransitionEvent;

State to_message(const LifecycleState& state) {
  State message;
  message.id = state.id;
  message.label = state.label;
  return message;
}

/// TransitionEvent and TransitionDescription name these parts alike.
template <typename Message>
Message to_message(const LifecycleTransition& transition) {
  Message message;
  message.transition.id = transition.id;
  message.transition.label = transition.label;
  message.start_state = to_message(transition.start);
  message.goal_state = to_message(transition.goal);
  return message;
}

void list(const std::vector<LifecycleTransition>& transitions,
          GetAvailableTransitions::Response& answer) {
  for (const LifecycleTransition& one : transitions) {
    answer.available_transitions.push_back(
        to_message<lifecycle_msgs::msg::TransitionDescription>(one));
  }
}

}  // namespace

/// The services and the topic.
struct LifecycleNode::Interface {
  explicit Interface(LifecycleNode& node)
      : events(node.Node::create_publisher<TransitionEvent>("~/transition_event", QoS(10))) {
    serve<ChangeState>(node, "~/change_state", [&node](const auto& asked, auto& answer) {
      const auto result = asked.transition.label.empty()
                              ? node.trigger_transition(asked.transition.id)
                              : node.trigger_transition(asked.transition.label);
      answer.success = result.has_value() && *result == CallbackReturn::success;
    });
    serve<GetState>(node, "~/get_state", [&node](const auto&, auto& answer) {
      answer.current_state = to_message(node.get_current_state());
    });
    serve<GetAvailableStates>(node, "~/get_available_states", [&node](const auto&, auto& answer) {
      for (const LifecycleState& state : node.get_available_states()) {
        answer.available_states.push_back(to_message(state));
      }
    });
    serve<GetAvailableTransitions>(
        node, "~/get_available_transitions",
        [&node](const auto&, auto& answer) { list(node.get_available_transitions(), answer); });
    serve<GetAvailableTransitions>(
        node, "~/get_transition_graph",
        [&node](const auto&, auto& answer) { list(node.get_transition_graph(), answer); });
  }

  template <typename T, typename Work>
  void serve(LifecycleNode& node, const char* name, const Work& work) {
    services.push_back(
        node.create_service<T>(name, [work](const std::shared_ptr<typename T::Request>& request,
                                            const std::shared_ptr<typename T::Response>& response) {
          work(*request, *response);
        }));
  }

  std::shared_ptr<Publisher<TransitionEvent>> events;
  std::vector<std::shared_ptr<ServiceBase>> services;
};

LifecycleNode::LifecycleNode(const std::string& name, const NodeOptions& options,
                             bool has_interface)
    : LifecycleNode(name, "", options, has_interface) {}

LifecycleNode::LifecycleNode(const std::string& name, const std::string& name_space,
                             const NodeOptions& options, bool has_interface)
    : Node(name, name_space, options), machine_([this](const LifecycleTransition& step) {
        if (interface_ != nullptr) {
          auto event = to_message<TransitionEvent>(step);
          event.timestamp = static_cast<std::uint64_t>(now().nanoseconds());
          (void)interface_->events->publish(event);
        }
      }) {
  if (has_interface) {
    interface_ = std::make_unique<Interface>(*this);
  }
}

LifecycleNode::~LifecycleNode() = default;

CallbackReturn LifecycleNode::on_configure(const LifecycleState& /*previous*/) {
  return CallbackReturn::success;
}
CallbackReturn LifecycleNode::on_cleanup(const LifecycleState& /*previous*/) {
  return CallbackReturn::success;
}
CallbackReturn LifecycleNode::on_shutdown(const LifecycleState& /*previous*/) {
  return CallbackReturn::success;
}
CallbackReturn LifecycleNode::on_error(const LifecycleState& /*previous*/) {
  return CallbackReturn::failure;
}
CallbackReturn LifecycleNode::on_activate(const LifecycleState& /*previous*/) {
  switch_entities(true);
  return CallbackReturn::success;
}
CallbackReturn LifecycleNode::on_deactivate(const LifecycleState& /*previous*/) {
  switch_entities(false);
  return CallbackReturn::success;
}

void LifecycleNode::add_managed_entity(const std::shared_ptr<ManagedEntity>& entity) {
  const std::lock_guard lock(entities_mutex_);
  entities_.push_back(entity);
}

void LifecycleNode::switch_entities(bool on) {
  for (const auto& entity : detail::alive(entities_mutex_, entities_)) {
    on ? entity->on_activate() : entity->on_deactivate();
  }
}

CallbackReturn LifecycleNode::call(const LifecycleState& in, const LifecycleState& previous) {
  try {
    switch (in.id) {
      case State::TRANSITION_STATE_CONFIGURING:
        return on_configure(previous);
      case State::TRANSITION_STATE_CLEANINGUP:
        return on_cleanup(previous);
      case State::TRANSITION_STATE_SHUTTINGDOWN:
        return on_shutdown(previous);
      case State::TRANSITION_STATE_ACTIVATING:
        return on_activate(previous);
      case State::TRANSITION_STATE_DEACTIVATING:
        return on_deactivate(previous);
      default:
        return on_error(previous);
    }
  } catch (const std::exception& error) {
    report_error("while '" + in.label + "', a callback of node '" + get_fully_qualified_name() +
                 "' threw: " + error.what());
  } catch (...) {  // a user's code may throw what is no std::exception
    report_error("while '" + in.label + "', a callback of node '" + get_fully_qualified_name() +
                 "' threw");
  }
  return CallbackReturn::error;
}

CallbackReturn LifecycleNode::run(const LifecycleTransition& begun) {
  const CallbackReturn result = call(begun.goal, begun.start);
  LifecycleState state = machine_.end(result);
  if (result == CallbackReturn::error) {
    state = machine_.end(call(state, begun.start));
  }
  if (result != CallbackReturn::success) {
    get_logger().write(LogLevel::warn, "the transition '" + begun.label + "' did not succeed (" +
                                           (result == CallbackReturn::error ? "error" : "failure") +
                                           "): the node is " + state.label);
  }
  return result;
}

expected<CallbackReturn, std::string> LifecycleNode::trigger_transition(std::uint8_t id) {
  const auto begun = machine_.begin(id);
  if (!begun) {
    get_logger().write(LogLevel::warn, begun.error());
    return unexpected<std::string>(begun.error());
  }
  return run(*begun);
}

expected<CallbackReturn, std::string> LifecycleNode::trigger_transition(const std::string& label) {
  const auto begun = machine_.begin(label);
  if (!begun) {
    get_logger().write(LogLevel::warn, begun.error());
    return unexpected<std::string>(begun.error());
  }
  return run(*begun);
}

LifecycleState LifecycleNode::go(const std::string& label) {
  (void)trigger_transition(label);
  return get_current_state();
}

LifecycleState LifecycleNode::configure() { return go("configure"); }
LifecycleState LifecycleNode::cleanup() { return go("cleanup"); }
LifecycleState LifecycleNode::activate() { return go("activate"); }
LifecycleState LifecycleNode::deactivate() { return go("deactivate"); }
LifecycleState LifecycleNode::shutdown() { return go("shutdown"); }

LifecycleState LifecycleNode::get_current_state() const { return machine_.state(); }
std::vector<LifecycleState> LifecycleNode::get_available_states() const {
  return detail::LifecycleMachine::states();
}
std::vector<LifecycleTransition> LifecycleNode::get_available_transitions() const {
  return machine_.available();
}
std::vector<LifecycleTransition> LifecycleNode::get_transition_graph() const {
  return detail::LifecycleMachine::graph();
}

}  // namespace ligament
