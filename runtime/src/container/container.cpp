// SPDX-License-Identifier: Apache-2.0
#include "container/container.hpp"

#include <fcntl.h>
#include <sys/prctl.h>

#include <csignal>
#include <exception>
#include <ligament/component.hpp>
#include <ligament/trace.hpp>
#include <memory>
#include <vector>

#include "container/config.hpp"
#include "container/control.hpp"
#include "container/heap_counter.hpp"
#include "container/inner_edge.hpp"
#include "node/context_state.hpp"
#include "node/node_state.hpp"

namespace ligament::container {
namespace {

using Nodes = std::vector<std::shared_ptr<Node>>;

/// What stops a container before its nodes run: who is told by which status and sentences.
struct StartFailure {
  int status = exit_failed;
  struct Line {
    std::string node;
    std::string text;
  };
  std::vector<Line> lines;
};

unexpected<StartFailure> failure(int status, const std::string& node, const std::string& text) {
  return unexpected<StartFailure>(StartFailure{status, {{node, text}}});
}

/// Signals are read by the control thread; a lost reader of a pipe is an error of that write.
void prepare_signals(bool supervised) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  int death_signal = 0;
  ::prctl(PR_GET_PDEATHSIG, &death_signal);
  if (supervised && death_signal == 0) {  // a stronger wish of the starter stays in force
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  }
}

/// What all nodes of a container are made with.
struct Surroundings {
  const ContainerConfig& config;
  std::shared_ptr<Context> context;
  bool ros_tools = false;
};

NodeOptions options_for(const NodeConfig& node, const Surroundings& around) {
  const auto& [config, context, ros_tools] = around;
  NodeOptions options;
  options.start_parameter_services(ros_tools)
      .start_parameter_event_publisher(ros_tools)
      .enable_rosout(ros_tools);
  options.context(context).node_name(node.name).node_namespace(node.name_space);
  for (const auto& [from, to] : node.remaps) {
    options.remap(from, to);
  }
  for (const auto& [name, value] : node.parameters) {
    options.append_parameter_override(name, value);
  }
  for (const auto& path : node.parameter_files) {
    options.parameter_file(path.string());
  }
  for (const auto& [port, qos] : node.port_qos) {
    options.port_qos(port, qos);
  }
  for (const auto& [name, topic] : config.topics) {
    options.topic(name, topic);
  }
  std::string models = node.device_model;
  for (const auto& [topic, model] : node.topic_models) {
    models += (models.empty() ? "" : ",") + topic + "=" + model;
  }
  options.device_model(models);
  return options;
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
  try {
    auto made = (*factory)(options_for(node, around));
    if (made->get_fully_qualified_name() != node.id) {
      return failure(exit_bad_configuration, node.id,
                     "the class '" + node.class_name + "' made the node '" +
                         made->get_fully_qualified_name() +
                         "'; its constructor must hand the NodeOptions on to Node");
    }
    return made;
  } catch (const std::exception& error) {
    return failure(exit_failed, node.id,
                   "the constructor of '" + node.class_name + "' threw: " + error.what());
  } catch (...) {  // a user's code may throw what is no std::exception
    return failure(exit_failed, node.id, "the constructor of '" + node.class_name + "' threw");
  }
}

/// Nodes tell their mistakes themselves, all of them; here it is decided what they amount to.
expected<void, StartFailure> check_nodes(const Nodes& nodes) {
  bool failed = false;
  bool configuration = false;
  for (const auto& node : nodes) {
    for (const auto& sentence : node->state().parameters.undeclared_overrides()) {
      node->state().report(NodeErrorKind::configuration, sentence);
    }
    for (const auto& error : node->errors()) {
      failed = true;
      configuration = configuration || error.kind == NodeErrorKind::configuration;
    }
  }
  if (failed) {
    return unexpected<StartFailure>(
        StartFailure{configuration ? exit_bad_configuration : exit_failed, {}});
  }
  return {};
}

expected<Nodes, StartFailure> make_nodes(const Surroundings& around) {
  Nodes nodes;
  for (const NodeConfig& node : around.config.nodes) {
    if (!around.context->is_valid()) {
      break;  // asked to stop meanwhile
    }
    auto made = make_node(node, around);
    if (!made) {
      return unexpected<StartFailure>(made.error());
    }
    nodes.push_back(std::move(*made));
  }
  if (auto checked = check_nodes(nodes); !checked) {
    return unexpected<StartFailure>(checked.error());
  }
  return nodes;
}

expected<void, StartFailure> load_trace(const std::string& provider,
                                        const ContainerConfig& config) {
  if (provider.empty()) {
    return {};
  }
  if (provider != "ligament" && provider != "ros2") {
    return failure(exit_bad_configuration, "",
                   "there is no trace provider '" + provider + "'; expected 'ligament' or 'ros2'");
  }
  auto loaded = trace::load(trace::default_provider_path(),
                            {config.run_id, config.graph, config.variant, config.container});
  if (loaded && provider == "ros2") {
    loaded = trace::load_ros2(trace::default_ros2_provider_path());
  }
  if (!loaded) {
    return failure(exit_bad_configuration, "", loaded.error().text);
  }
  return {};
}

expected<std::shared_ptr<Context>, StartFailure> join_graph(const ContainerConfig& config) {
  auto context = Context::create({.domain = config.domain, .run_id = config.run_id});
  if (!context) {
    const bool system = context.error().code == ContextErrorCode::system;
    return failure(system ? exit_failed : exit_bad_configuration, "", context.error().text);
  }
  context.value()->state().patience_ns = config.patience_ns;
  context.value()->state().service_patience_ns = config.service_patience_ns;
  return context.value();
}

int report(StatusChannel& channel, const StartFailure& why) {
  for (const auto& line : why.lines) {
    get_logger(line.node.empty() ? "ligament-container" : line.node)
        .write(LogLevel::error, line.text);
    channel.send_error(line.node, line.text);
  }
  return why.status;
}

/// The running time of the nodes, from `ready` to the end of the drain.
int run_nodes(const Nodes& nodes, const std::shared_ptr<Context>& context, const WaitStrategy& wait,
              Control& control) {
  executors::SingleThreadedExecutor executor({.context = context, .wait = wait});
  for (const auto& node : nodes) {
    if (auto added = executor.add_node(node); !added) {
      control.node_error(node->get_fully_qualified_name(), added.error().text);
      return exit_failed;
    }
  }
  control.nodes_are_ready(nodes);
  const auto result = executor.spin();
  if (!result) {
    get_logger("ligament-container").write(LogLevel::fatal, result.error().text);
    control.node_error("", result.error().text);
  }
  control.nodes_are_done();
  return result ? exit_stopped : exit_failed;
}

/// The container's own edge, if it is to have one. It starts beside the nodes.
expected<std::unique_ptr<InnerEdgeKeeper>, StartFailure> keep_edge(const ContainerConfig& config,
                                                                   StatusChannel& channel) {
  if (!config.edge) {
    return nullptr;
  }
  const auto entry = load_inner_edge(inner_edge_path());
  if (!entry) {
    return failure(exit_bad_configuration, "", entry.error());
  }
  const auto& [domain_id, humble] = *config.edge;
  return std::make_unique<InnerEdgeKeeper>(
      **entry, InnerEdgeRequest{config.domain, config.run_id, domain_id, humble, &channel});
}

expected<int, StartFailure> run_configured(const Arguments& arguments, StatusChannel& channel) {
  auto config = read_config(arguments.config);
  if (!config) {
    StartFailure why{exit_bad_configuration, {}};
    for (const auto& sentence : config.error()) {
      why.lines.push_back({"", sentence});
    }
    return unexpected<StartFailure>(std::move(why));
  }
  set_log_level(config->log_level);
  const auto provider = arguments.trace.empty() ? config->trace.value_or("") : arguments.trace;
  if (auto loaded = load_trace(provider, *config); !loaded) {
    return unexpected<StartFailure>(loaded.error());
  }
  auto context = join_graph(*config);
  if (!context) {
    return unexpected<StartFailure>(context.error());
  }
  Control control(channel, **context);  // before the nodes: their errors are told, signals are read
  const auto edge = keep_edge(*config, channel);  // before the nodes: it ends after them
  if (!edge) {
    return unexpected<StartFailure>(edge.error());
  }
  auto nodes = make_nodes({*config, *context, arguments.ros_tools});
  if (!nodes) {
    return unexpected<StartFailure>(nodes.error());
  }
  return run_nodes(*nodes, *context, config->wait, control);
}

}  // namespace

int run_container(const Arguments& arguments) {
  if (arguments.status_descriptor >= 0 &&
      ::fcntl(arguments.status_descriptor, F_SETFD, FD_CLOEXEC) != 0) {
    get_logger("ligament-container")
        .write(LogLevel::error, "--status-fd " + std::to_string(arguments.status_descriptor) +
                                    ": no such open descriptor");
    return exit_bad_configuration;
  }
  StatusChannel channel(arguments.status_descriptor);
  prepare_signals(channel.is_open());
  detail::set_allocation_counter(allocation_counter());
  const auto status = run_configured(arguments, channel);
  if (!status) {
    return report(channel, status.error());
  }
  channel.send({{"event", "stopped"}});
  return *status;
}

int check_class(const std::string& library, const std::string& class_name) {
  const auto opened = ComponentLibrary::open(library);
  const auto found = opened ? opened->find(class_name) : unexpected<ComponentError>(opened.error());
  if (found) {
    return exit_stopped;
  }
  get_logger("ligament-container").write(LogLevel::error, found.error().text);
  return exit_bad_configuration;
}

}  // namespace ligament::container
