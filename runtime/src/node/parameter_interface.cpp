// SPDX-License-Identifier: Apache-2.0
#include "node/parameter_interface.hpp"

#include <algorithm>
#include <ligament/rcl_interfaces/msg/parameter_event.hpp>
#include <ligament/rcl_interfaces/srv/describe_parameters.hpp>
#include <ligament/rcl_interfaces/srv/get_parameter_types.hpp>
#include <ligament/rcl_interfaces/srv/get_parameters.hpp>
#include <ligament/rcl_interfaces/srv/list_parameters.hpp>
#include <ligament/rcl_interfaces/srv/set_parameters.hpp>
#include <ligament/rcl_interfaces/srv/set_parameters_atomically.hpp>

#include "node/parameter_messages.hpp"

namespace ligament::detail {

namespace {

using namespace rcl_interfaces::srv;  // NOLINT: the six service types
using Event = rcl_interfaces::msg::ParameterEvent;
using Result = rcl_interfaces::msg::SetParametersResult;
using NodePointer = std::shared_ptr<NodeState>;

Result answer_of(const SetParametersResult& result) {
  Result message;
  message.successful = result.successful;
  message.reason = result.reason;
  return message;
}

bool is_below(const std::string& name, const std::string& prefix, std::uint64_t depth) {
  if (name == prefix) {
    return true;
  }
  if (!name.starts_with(prefix + ".")) {
    return false;
  }
  const auto dots =
      std::count(name.begin() + static_cast<std::ptrdiff_t>(prefix.size()) + 1, name.end(), '.');
  return depth == 0 || static_cast<std::uint64_t>(dots) < depth;
}

bool is_listed(const std::string& name, const std::vector<std::string>& prefixes,
               std::uint64_t depth) {
  if (prefixes.empty()) {
    const auto dots = std::count(name.begin(), name.end(), '.');
    return depth == 0 || static_cast<std::uint64_t>(dots) < depth;
  }
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](const std::string& prefix) { return is_below(name, prefix, depth); });
}

/// What each name has, by `what`; nothing at all where one of them is not declared (as rclcpp).
template <typename Entry, typename What>
void collect(const NodeState& node, const std::vector<std::string>& names,
             std::vector<Entry>& entries, const What& what) {
  for (const std::string& name : names) {
    const auto found = node.parameters.describe(name);
    if (!found) {
      entries.clear();
      return;
    }
    entries.push_back(what(name, *found));
  }
}

void get(const NodeState& node, const GetParameters::Request& asked,
         GetParameters::Response& answer) {
  collect(node, asked.names, answer.values,
          [](const auto&, const auto& found) { return to_message(found.value); });
}

void get_types(const NodeState& node, const GetParameterTypes::Request& asked,
               GetParameterTypes::Response& answer) {
  collect(node, asked.names, answer.types, [](const auto&, const auto& found) {
    return static_cast<std::uint8_t>(found.value.get_type());
  });
}

void describe(const NodeState& node, const DescribeParameters::Request& asked,
              DescribeParameters::Response& answer) {
  collect(node, asked.names, answer.descriptors, [](const auto& name, const auto& found) {
    return to_message(name, found.type, found.descriptor);
  });
}

void list(const NodeState& node, const ListParameters::Request& asked,
          ListParameters::Response& answer) {
  auto found = list_parameters(node.parameters.names(), asked.prefixes, asked.depth);
  answer.result.names = std::move(found.names);
  answer.result.prefixes = std::move(found.prefixes);
}

void set(NodeState& node, const SetParameters::Request& asked, SetParameters::Response& answer) {
  for (const auto& parameter : asked.parameters) {
    answer.results.push_back(answer_of(node.set_parameters({from_message(parameter)})));
  }
}

void set_atomically(NodeState& node, const SetParametersAtomically::Request& asked,
                    SetParametersAtomically::Response& answer) {
  std::vector<Parameter> parameters;
  for (const auto& parameter : asked.parameters) {
    parameters.push_back(from_message(parameter));
  }
  answer.result = answer_of(node.set_parameters(parameters));
}

template <typename T, typename Work>
std::shared_ptr<ServiceBase> serve(Node& node, const char* name, const Work& work) {
  const NodePointer state = node.shared_state();
  return node.create_service<T>(
      name, [state, work](const std::shared_ptr<typename T::Request>& request,
                          const std::shared_ptr<typename T::Response>& response) {
        work(*state, *request, *response);
      });
}

}  // namespace

ParameterListing list_parameters(const std::vector<std::string>& names,
                                 const std::vector<std::string>& prefixes, std::uint64_t depth) {
  ParameterListing listing;
  for (const std::string& name : names) {
    if (!is_listed(name, prefixes, depth)) {
      continue;
    }
    listing.names.push_back(name);
    const std::size_t dot = name.rfind('.');
    if (dot == std::string::npos) {
      continue;
    }
    const std::string prefix = name.substr(0, dot);
    auto& known = listing.prefixes;
    if (std::find(known.begin(), known.end(), prefix) == known.end()) {
      known.push_back(prefix);
    }
  }
  return listing;
}

std::vector<std::shared_ptr<ServiceBase>> make_parameter_services(Node& node) {
  return {serve<DescribeParameters>(node, "~/describe_parameters", describe),
          serve<GetParameterTypes>(node, "~/get_parameter_types", get_types),
          serve<GetParameters>(node, "~/get_parameters", get),
          serve<ListParameters>(node, "~/list_parameters", list),
          serve<SetParameters>(node, "~/set_parameters", set),
          serve<SetParametersAtomically>(node, "~/set_parameters_atomically", set_atomically)};
}

// --- events --------------------------------------------------------------------------------------

struct ParameterEvents::Sender {
  std::shared_ptr<Publisher<Event>> publisher;
  std::mutex mutex;  ///< parameters may be set by any thread, a publisher has few loans

  /// Without anybody who listens nothing is sent: the topic is volatile, and the first message
  /// would make the publisher allocate its thousand blocks.
  [[nodiscard]] bool is_heard() const { return publisher->get_subscription_count() != 0; }
  void send(const NodeState& node, Event&& event) {
    event.stamp = node.clock->now();
    event.node = node.id;
    const std::lock_guard lock(mutex);
    (void)publisher->publish(event);
  }
};

ParameterEvents::ParameterEvents(Node& node) : sender_(std::make_unique<Sender>()) {
  sender_->publisher = node.create_publisher<Event>("/parameter_events", ParameterEventsQoS());
}
ParameterEvents::~ParameterEvents() = default;

void ParameterEvents::declared(const NodeState& node, const Parameter& parameter) {
  if (sender_->is_heard()) {
    Event event;
    event.new_parameters.push_back(to_message(parameter));
    sender_->send(node, std::move(event));
  }
}

void ParameterEvents::changed(const NodeState& node, const std::vector<Parameter>& parameters) {
  if (sender_->is_heard()) {
    Event event;
    for (const Parameter& parameter : parameters) {
      // As it is in force: a whole number may have become a double.
      auto value = node.parameters.get(parameter.get_name());
      event.changed_parameters.push_back(to_message(
          Parameter(parameter.get_name(), value.value_or(parameter.get_parameter_value()))));
    }
    sender_->send(node, std::move(event));
  }
}

}  // namespace ligament::detail
