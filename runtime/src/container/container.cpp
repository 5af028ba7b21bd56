// SPDX-License-Identifier: Apache-2.0
#include "container/container.hpp"

#include <fcntl.h>
#include <sys/prctl.h>

#include <csignal>
#include <initializer_list>
#include <ligament/component.hpp>
#include <ligament/trace.hpp>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "container/component_services.hpp"
#include "container/config.hpp"
#include "container/control.hpp"
#include "container/give.hpp"
#include "container/heap_counter.hpp"
#include "container/inner_edge.hpp"
#include "container/make_node.hpp"
#include "container/node_holder.hpp"
#include "container/runner.hpp"
#include "container/take_over.hpp"
#include "node/context_state.hpp"
#include "node/node_state.hpp"

namespace ligament::container {
namespace {

using Nodes = std::vector<std::shared_ptr<Node>>;

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

/// Nodes tell their mistakes themselves, all of them; here it is decided what they amount to.
expected<void, StartFailure> check_nodes(const Nodes& nodes) {
  bool failed = false;
  bool configuration = false;
  for (const auto& node : nodes) {
    tell_undeclared_overrides(*node);
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

/// No child of a node keeps them open.
bool keep_descriptors(const Arguments& arguments) {
  using Given = std::pair<const char*, int>;
  for (const auto& [option, descriptor] :
       {Given{"--status-fd", arguments.status_descriptor},
        Given{"--control-fd", arguments.control_descriptor},
        Given{"--take-over-fd", arguments.take_over_descriptor}}) {
    if (descriptor >= 0 && ::fcntl(descriptor, F_SETFD, FD_CLOEXEC) != 0) {
      get_logger("ligament-container")
          .write(LogLevel::error, std::string(option) + " " + std::to_string(descriptor) +
                                      ": no such open descriptor");
      return false;
    }
  }
  return true;
}

int report(StatusChannel& channel, const StartFailure& why) {
  for (const auto& line : why.lines) {
    get_logger(line.node.empty() ? "ligament-container" : line.node)
        .write(LogLevel::error, line.text);
    channel.send_error(line.node, line.text);
  }
  return why.status;
}

/// The only node takes the place of one that runs elsewhere; it runs there if this fails.
expected<TakenOver, StartFailure> take_the_place(const Nodes& nodes, int descriptor,
                                                 const Surroundings& around) {
  Context& context = *around.context;
  MoveChannel channel(descriptor, [&context] { return !context.is_valid(); });
  if (nodes.size() != 1) {
    channel.refuse("the new container has not exactly one node");
    return failure(exit_bad_configuration, "", "with --take-over-fd a container has one node");
  }
  auto taken = take_over(channel, *nodes.front());
  context.state().taker = std::thread::id();
  if (!taken) {
    return failure(exit_failed, nodes.front()->get_fully_qualified_name(), taken.error());
  }
  return *taken;
}

/// The running time of the nodes, from `ready` to the end of the drain.
int run_nodes(Nodes nodes, const Surroundings& around, const Arguments& arguments,
              Control& control) {
  Runner runner(around.context, around.config.wait, around.config.executor_threads);
  NodeHolder holder(around, runner, control);
  std::optional<TakenOver> taken;
  if (arguments.take_over_descriptor >= 0) {
    const auto moved = take_the_place(nodes, arguments.take_over_descriptor, around);
    if (!moved) {
      for (const auto& line : moved.error().lines) {
        control.node_stays(line.node, line.text);
      }
      return moved.error().status;
    }
    taken = *moved;
  }
  for (auto& node : nodes) {
    if (auto added = holder.add(std::move(node)); !added) {
      control.node_error("", added.error());
      return exit_failed;
    }
  }
  nodes.clear();  // the holder may let them go
  std::shared_ptr<Node> own;
  if (around.ros_tools) {
    own = make_component_services(around, holder);
    if (auto added = runner.add(own); !added || !own->errors().empty()) {
      return exit_failed;
    }
  }
  std::optional<Giver> giver;
  if (arguments.control_descriptor >= 0) {
    giver.emplace(arguments.control_descriptor, holder, control, around);
  }
  around.context->state().domain->match_now();  // their first messages find each other
  control.nodes_are_ready(holder.nodes());
  if (taken) {
    control.node_moved(*holder.nodes().front(), taken->stopped_ns);
  }
  const auto result = runner.spin();
  giver.reset();
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
  if (arguments.take_over_descriptor >= 0) {
    (*context)->state().taker = std::this_thread::get_id();
  }
  Control control(channel, **context);  // before the nodes: their errors are told, signals are read
  const auto edge = keep_edge(*config, channel);  // before the nodes: it ends after them
  if (!edge) {
    return unexpected<StartFailure>(edge.error());
  }
  const Surroundings around{*config, *context, arguments.ros_tools};
  auto nodes = make_nodes(around);
  if (!nodes) {
    return unexpected<StartFailure>(nodes.error());
  }
  return run_nodes(std::move(*nodes), around, arguments, control);
}

}  // namespace

int run_container(const Arguments& arguments) {
  if (!keep_descriptors(arguments)) {
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
