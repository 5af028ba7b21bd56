// SPDX-License-Identifier: Apache-2.0
#include "container/make_node.hpp"

#include <exception>

#include "container/container.hpp"
#include "node/node_state.hpp"

namespace ligament::container {

NodeOptions common_options(const Surroundings& around) {
  NodeOptions options;
  options.context(around.context)
      .start_parameter_services(around.ros_tools)
      .start_parameter_event_publisher(around.ros_tools)
      .start_type_description_service(around.ros_tools)
      .enable_rosout(around.ros_tools);
  for (const auto& [name, topic] : around.config.topics) {
    options.topic(name, topic);
  }
  return options;
}

namespace {

NodeOptions options_for(const NodeConfig& node, const Surroundings& around) {
  NodeOptions options = common_options(around);
  options.node_name(node.name).node_namespace(node.name_space);
  for (const auto& [from, to] : node.remaps) {
    options.remap(from, to);
  }
  for (const auto& [name, value] : node.parameters) {
    options.append_parameter_override(name, value);
  }
  for (const auto& [name, rule] : node.parameter_rules) {
    options.parameter_rule(name, rule);
  }
  for (const auto& path : node.parameter_files) {
    options.parameter_file(path.string());
  }
  for (const auto& [port, qos] : node.port_qos) {
    options.port_qos(port, qos);
  }
  std::string models = node.device_model;
  for (const auto& [topic, model] : node.topic_models) {
    models += (models.empty() ? "" : ",") + topic + "=" + model;
  }
  options.device_model(models);
  return options;
}

}  // namespace

expected<std::shared_ptr<Node>, std::string> construct(const NodeFactory& factory,
                                                       const std::string& class_name,
                                                       const NodeOptions& options) {
  const std::string where = "the constructor of '" + class_name + "' threw";
  try {
    return factory(options);
  } catch (const std::exception& error) {
    return unexpected<std::string>(where + ": " + error.what());
  } catch (...) {  // a user's code may throw what is no std::exception
    return unexpected<std::string>(where);
  }
}

expected<std::shared_ptr<Node>, StartFailure> make_node(const NodeConfig& node,
                                                        const Surroundings& around) {
  const auto library = ComponentLibrary::open(node.library.string());
  if (!library) {
    return failure(exit_bad_configuration, node.id, library.error().text);
  }
  const auto factory = library->find(node.class_name);
  if (!factory) {
    return failure(exit_bad_configuration, node.id, factory.error().text);
  }
  auto made = construct(*factory, node.class_name, options_for(node, around));
  if (!made) {
    return failure(exit_failed, node.id, made.error());
  }
  if ((*made)->get_fully_qualified_name() != node.id) {
    return failure(exit_bad_configuration, node.id,
                   "the class '" + node.class_name + "' made the node '" +
                       (*made)->get_fully_qualified_name() +
                       "'; its constructor must hand the NodeOptions on to Node");
  }
  return std::move(*made);
}

void tell_undeclared_overrides(const Node& node) {
  for (const auto& sentence : node.state().parameters.undeclared_overrides()) {
    node.state().report(NodeErrorKind::configuration, sentence);
  }
}

}  // namespace ligament::container
