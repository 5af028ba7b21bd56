// SPDX-License-Identifier: Apache-2.0
#include "container/component_services.hpp"

#include <array>
#include <cctype>
#include <ligament/composition_interfaces/srv/list_nodes.hpp>
#include <ligament/composition_interfaces/srv/load_node.hpp>
#include <ligament/composition_interfaces/srv/unload_node.hpp>
#include <vector>

#include "node/nearest.hpp"
#include "node/parameter_messages.hpp"

namespace ligament::container {
namespace {

using composition_interfaces::srv::ListNodes;
using composition_interfaces::srv::LoadNode;
using composition_interfaces::srv::UnloadNode;
using Refusal = expected<void, std::string>;

Refusal refusal(std::string text) { return unexpected<std::string>(std::move(text)); }

/// `from:=to`, with rcl's words for the node's own name and namespace.
Refusal add_remap(NodeOptions& options, const std::string& rule) {
  const std::size_t at = rule.find(":=");
  const std::string from = rule.substr(0, at);
  if (at == std::string::npos || from.empty() || rule.size() == at + 2) {
    return refusal("the remap rule '" + rule + "' has not the form FROM:=TO");
  }
  const std::string to = rule.substr(at + 2);
  if (from == "__node" || from == "__name") {
    options.node_name(to);
  } else if (from == "__ns") {
    options.node_namespace(to);
  } else if (from.find(':') != std::string::npos) {
    return refusal("the remap rule '" + rule +
                   "' names a node, but a request is for one node: leave out what is before the "
                   "first colon");
  } else {
    options.remap(from, to);
  }
  return {};
}

/// Here every node exchanges within its process, so the first changes nothing; a container has no
/// arguments to hand on, so the second does not either.
Refusal check_extra(const rcl_interfaces::msg::Parameter& argument) {
  static const std::vector<std::string> known{"use_intra_process_comms",
                                              "forward_global_arguments"};
  const Parameter read = detail::from_message(argument);
  const std::string& name = read.get_name();
  if (name != known[0] && name != known[1]) {
    return refusal("there is no extra argument '" + name + "'" + detail::did_you_mean(name, known) +
                   "; known: " + detail::listing(known));
  }
  if (read.get_parameter_value().get_if<bool>() == nullptr) {
    return refusal("the extra argument '" + name + "' is " + to_string(read.get_parameter_value()) +
                   ", expected true or false");
  }
  return {};
}

expected<LoadRequest, std::string> read_request(const LoadNode::Request& asked,
                                                NodeOptions options) {
  const auto fail = [](const Refusal& why) { return unexpected<std::string>(why.error()); };
  if (asked.log_level != 0) {
    return unexpected<std::string>(
        "log_level " + std::to_string(asked.log_level) +
        " was asked for one node, but the log level is of the whole container; leave it 0");
  }
  for (const std::string& rule : asked.remap_rules) {
    if (auto added = add_remap(options, rule); !added) {
      return fail(added);
    }
  }
  if (!asked.node_name.empty()) {
    options.node_name(asked.node_name);
  }
  if (!asked.node_namespace.empty()) {
    options.node_namespace(asked.node_namespace);
  }
  for (const auto& parameter : asked.parameters) {
    const Parameter read = detail::from_message(parameter);
    options.append_parameter_override(read.get_name(), read.get_parameter_value());
  }
  for (const auto& argument : asked.extra_arguments) {
    if (auto checked = check_extra(argument); !checked) {
      return fail(checked);
    }
  }
  return LoadRequest{asked.package_name, asked.plugin_name, std::move(options)};
}

void load(NodeHolder& holder, const NodeOptions& options, const LoadNode::Request& asked,
          LoadNode::Response& answer) {
  auto request = read_request(asked, options);
  const auto number =
      request ? holder.load(*request)
              : expected<std::uint64_t, std::string>(unexpected<std::string>(request.error()));
  answer.success = number.has_value();
  if (number) {
    answer.unique_id = *number;
    answer.full_node_name = holder.name_of(*number);
  } else {
    answer.error_message = number.error();
  }
}

void unload(NodeHolder& holder, const UnloadNode::Request& asked, UnloadNode::Response& answer) {
  const auto done = holder.unload(asked.unique_id);
  answer.success = done.has_value();
  answer.error_message = done ? "" : done.error();
}

void list(const NodeHolder& holder, ListNodes::Response& answer) {
  for (const auto& [number, name] : holder.list()) {
    answer.unique_ids.push_back(number);
    answer.full_node_names.push_back(name);
  }
}

/// Its services, for as long as it lives.
class OwnNode final : public Node {
 public:
  OwnNode(const Surroundings& around, NodeHolder& holder)
      : Node(own_node_name(around.config.container), NodeOptions().context(around.context)),
        load_(create_service<LoadNode>("~/_container/load_node",
                                       [&holder, options = common_options(around)](
                                           const LoadNode::Request::SharedPtr& asked,
                                           const LoadNode::Response::SharedPtr& answer) {
                                         load(holder, options, *asked, *answer);
                                       })),
        unload_(
            create_service<UnloadNode>("~/_container/unload_node",
                                       [&holder](const UnloadNode::Request::SharedPtr& asked,
                                                 const UnloadNode::Response::SharedPtr& answer) {
                                         unload(holder, *asked, *answer);
                                       })),
        list_(create_service<ListNodes>(
            "~/_container/list_nodes",
            [&holder](const ListNodes::Request::SharedPtr& /*asked*/,
                      const ListNodes::Response::SharedPtr& answer) { list(holder, *answer); })) {}

 private:
  std::shared_ptr<Service<LoadNode>> load_;
  std::shared_ptr<Service<UnloadNode>> unload_;
  std::shared_ptr<Service<ListNodes>> list_;
};

}  // namespace

std::string own_node_name(const std::string& container) {
  std::string name = container + "_container";
  for (char& one : name) {
    if (std::isalnum(static_cast<unsigned char>(one)) == 0) {
      one = '_';
    }
  }
  return std::isdigit(static_cast<unsigned char>(name.front())) != 0 ? "_" + name : name;
}

std::shared_ptr<Node> make_component_services(const Surroundings& around, NodeHolder& holder) {
  return std::make_shared<OwnNode>(around, holder);
}

}  // namespace ligament::container
