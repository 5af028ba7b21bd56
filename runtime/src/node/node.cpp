// SPDX-License-Identifier: Apache-2.0
#include <ligament/detail/ros2_marks.hpp>
#include <ligament/node.hpp>
#include <ligament/rosgraph_msgs/msg/clock.hpp>
#include <ligament/trace.hpp>

#include "node/context_state.hpp"
#include "node/nearest.hpp"
#include "node/node_state.hpp"
#include "node/parameter_interface.hpp"
#include "node/rosout.hpp"
#include "node/type_descriptions.hpp"

namespace ligament {
namespace {

using detail::NodeState;

/// A name that breaks a rule is reported and replaced, so that the node can still be built and tell
/// everything else that is wrong with it.
void set_place(NodeState& state, const std::string& name, const std::string& name_space) {
  state.place = {"/", "invalid_name"};
  std::string first_error;
  if (auto valid = validate_namespace(name_space)) {
    state.place.node_namespace = name_space;
  } else {
    first_error = valid.error().text;
  }
  if (auto valid = validate_node_name(name)) {
    state.place.node_name = name;
  } else {
    first_error = valid.error().text;
  }
  state.id = join_name(state.place.node_namespace, state.place.node_name);
  state.hash = name_hash(state.id);
  state.logger = Logger(state.id);
  if (!first_error.empty()) {
    state.report(NodeErrorKind::configuration, first_error);
  }
}

void add_remaps(NodeState& state, const NodeOptions& options) {
  for (const auto& [from, to] : options.remaps()) {
    if (auto added = state.remaps.add(from, to, state.place); !added) {
      state.report(NodeErrorKind::configuration,
                   fmt::format("remapping '{}' to '{}': {}", from, to, added.error().text));
    }
  }
}

void add_overrides(NodeState& state, const NodeOptions& options) {
  for (const std::string& path : options.parameter_files()) {
    auto overrides = read_parameter_file(path, state.id);
    if (!overrides) {
      state.report(NodeErrorKind::configuration, overrides.error());
      continue;
    }
    for (auto& value : *overrides) {
      state.parameters.add_override(std::move(value));
    }
  }
  for (const Parameter& parameter : options.parameter_overrides()) {
    state.parameters.add_override({parameter, false, ""});
  }
  for (const auto& [name, rule] : options.parameter_rules()) {
    state.parameters.add_rule(name, rule);
  }
}

/// An empty namespace means the root, as in rclcpp; a relative one is put under it.
std::string absolute_namespace(const std::string& name_space) {
  if (name_space.empty()) {
    return "/";
  }
  return name_space.front() == '/' ? name_space : "/" + name_space;
}

}  // namespace

Node::Node(const std::string& name, const NodeOptions& options) : Node(name, "", options) {}

Node::Node(const std::string& name, const std::string& name_space, const NodeOptions& options)
    : state_(std::make_shared<NodeState>()) {
  state_->context = options.context() != nullptr ? options.context() : default_context();
  state_->topics = options.topics();
  state_->port_qos = options.port_qos();
  set_place(*state_, options.node_name().value_or(name),
            absolute_namespace(options.node_namespace().value_or(name_space)));
  trace::node_init(state_->hash, state_->id.c_str());
  if (state_->context != nullptr) {
    trace::ros2::rcl_node_init(
        trace::ros2::handle(state_->hash), trace::ros2::handle(state_->context->domain().get()),
        state_->place.node_name.c_str(), state_->place.node_namespace.c_str());
  }
  if (state_->context == nullptr) {
    state_->report(NodeErrorKind::configuration,
                   "there is no context: call ligament::init(), or give one in NodeOptions");
  }
  add_remaps(*state_, options);
  add_overrides(*state_, options);
  ParameterDescriptor descriptor;
  descriptor.description = "Take time from the topic /clock.";
  descriptor.read_only = true;
  if (declare_parameter<bool>("use_sim_time", false, descriptor)) {
    follow_simulated_time();
  }
  descriptor.description = "Offer ~/get_type_description, where ROS 2's tools are served.";
  const bool describes = declare_parameter("start_type_description_service", true, descriptor);
  if (state_->context != nullptr) {
    open_to_ros_tools(options);
    if (describes && options.start_type_description_service()) {
      tool_services_.push_back(detail::make_type_description_service(*this));
    }
  }
}

void Node::open_to_ros_tools(const NodeOptions& options) {
  if (options.enable_rosout()) {
    rosout_ = detail::make_rosout(*this);
    state_->logger = Logger(state_->id, rosout_);
  }
  if (options.start_parameter_event_publisher()) {
    parameter_events_ = std::make_shared<detail::ParameterEvents>(*this);
    state_->parameter_events = parameter_events_;
  }
  if (options.start_parameter_services()) {
    tool_services_ = detail::make_parameter_services(*this);
  }
}

Node::~Node() {
  if (state_->context != nullptr) {
    state_->clock->on_ros_time_change(nullptr);
  }
}

void Node::follow_simulated_time() {
  if (state_->context == nullptr) {
    return;
  }
  // Until the first message arrives, time is at zero, as in rclcpp.
  state_->clock->set_ros_time(Time(0));
  state_->clock->on_ros_time_change([context = state_->context] { context->wake(); });
  SubscriptionOptions options;  // of its own, as in rclcpp: time goes on beside a long callback
  options.callback_group = create_callback_group(CallbackGroupType::mutually_exclusive);
  clock_subscription_ = create_subscription<rosgraph_msgs::msg::Clock>(
      "/clock", QoS(1).best_effort(),
      [this](const rosgraph_msgs::msg::Clock& message, const MessageInfo& info) {
        const Time now(message.clock);
        state_->clock->set_ros_time(now);
        trace::ros_time(state_->hash, info.publisher_id(), info.publication_sequence_number(),
                        now.nanoseconds());
      },
      options);
}

// --- time ---------------------------------------------------------------------------------------

std::shared_ptr<TimerBase> Node::add_timer(const Clock& clock, std::chrono::nanoseconds period,
                                           std::function<void()> callback,
                                           const CallbackGroup::SharedPtr& group) {
  if (period.count() < 0) {
    state_->report(NodeErrorKind::configuration,
                   "a timer's period of " + std::to_string(period.count()) + " ns is negative");
    period = std::chrono::hours(24);
  }
  auto timer = std::make_shared<TimerBase>(state_, clock, period, std::move(callback),
                                           state_->group_or_own(group));
  state_->add(state_->timers, timer);
  return timer;
}

std::shared_ptr<TimerBase> Node::create_wall_timer(std::chrono::nanoseconds period,
                                                   std::function<void()> callback,
                                                   const CallbackGroup::SharedPtr& group) {
  return add_timer(Clock(ClockType::steady), period, std::move(callback), group);
}

std::shared_ptr<TimerBase> Node::create_timer(std::chrono::nanoseconds period,
                                              std::function<void()> callback,
                                              const CallbackGroup::SharedPtr& group) {
  return add_timer(*state_->clock, period, std::move(callback), group);
}

CallbackGroup::SharedPtr Node::create_callback_group(CallbackGroupType type) {
  return std::make_shared<CallbackGroup>(type, state_.get());
}

Time Node::now() const { return state_->clock->now(); }
const std::shared_ptr<Clock>& Node::get_clock() const { return state_->clock; }

// --- parameters ---------------------------------------------------------------------------------

ParameterValue Node::declare_parameter(const std::string& name, const ParameterValue& default_value,
                                       const ParameterDescriptor& descriptor) {
  const bool is_new = !has_parameter(name);
  if (auto declared = state_->parameters.declare(name, default_value, descriptor); !declared) {
    state_->report(NodeErrorKind::configuration, declared.error());
  }
  auto value = state_->parameters.get(name).value_or(default_value);
  if (is_new && parameter_events_ != nullptr && has_parameter(name)) {
    parameter_events_->declared(*state_, {name, value});
  }
  return value;
}

Parameter Node::get_parameter(const std::string& name) const {
  auto value = state_->parameters.get(name);
  if (!value) {
    state_->report(NodeErrorKind::configuration, value.error());
    return {name, ParameterValue()};
  }
  return {name, std::move(*value)};
}

bool Node::has_parameter(const std::string& name) const { return state_->parameters.has(name); }

SetParametersResult Node::set_parameter(const Parameter& parameter) {
  return set_parameters_atomically({parameter});
}

SetParametersResult Node::set_parameters_atomically(const std::vector<Parameter>& parameters) {
  return state_->set_parameters(parameters);
}

std::shared_ptr<OnSetParametersCallback> Node::add_on_set_parameters_callback(
    OnSetParametersCallback callback) {
  auto handle = std::make_shared<OnSetParametersCallback>(std::move(callback));
  state_->parameters.add_callback(handle);
  return handle;
}

// --- the node itself ----------------------------------------------------------------------------

const std::string& Node::get_name() const { return state_->place.node_name; }
const std::string& Node::get_namespace() const { return state_->place.node_namespace; }
const std::string& Node::get_fully_qualified_name() const { return state_->id; }
const Logger& Node::get_logger() const { return state_->logger; }
std::uint64_t Node::trace_handle() const noexcept { return state_->hash; }

void Node::finish() {
  if (state_->finished.exchange(true) || state_->context == nullptr) {
    return;
  }
  detail::ContextState& shared = state_->context->state();
  const std::lock_guard lock(shared.observer_mutex);
  if (shared.observer != nullptr) {
    shared.observer->node_finished(state_->id);
  }
}

bool Node::is_finished() const { return state_->finished.load(); }

void Node::report_error(const std::string& text) { state_->report(NodeErrorKind::run, text); }

std::vector<NodeError> Node::errors() const {
  const std::lock_guard lock(state_->mutex);
  return state_->errors;
}

}  // namespace ligament
