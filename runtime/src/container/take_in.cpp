// SPDX-License-Identifier: Apache-2.0
#include "container/take_in.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "container/problems.hpp"
#include "container/take_over.hpp"
#include "node/context_state.hpp"
#include "node/node_state.hpp"

namespace ligament::container {
namespace {

using Failure = unexpected<std::string>;

/// While it lives, nodes that this thread makes take the places of others.
class Taking {
 public:
  explicit Taking(Context& context) : context_(context) {
    context_.state().taker = std::this_thread::get_id();
  }
  ~Taking() { context_.state().taker = std::thread::id(); }
  Taking(const Taking&) = delete;
  Taking& operator=(const Taking&) = delete;

 private:
  Context& context_;
};

expected<ContainerConfig, std::string> config_in(const nlohmann::json& request) {
  const auto path = request.value("config", nlohmann::json());
  if (!path.is_string()) {
    return Failure("the request to take a node in names no configuration");
  }
  auto config = read_config(path.get<std::string>());
  if (!config) {
    return Failure(fmt::format("{}", fmt::join(config.error(), "; ")));
  }
  if (config->nodes.size() != 1) {
    return Failure("the configuration of a node to be taken in has not exactly one node");
  }
  return std::move(*config);
}

void add_patience(Context& context, const ContainerConfig& config) {
  auto& state = context.state();
  const std::lock_guard lock(state.patience_mutex);
  state.patience_ns.insert(config.patience_ns.begin(), config.patience_ns.end());
  state.service_patience_ns.insert(config.service_patience_ns.begin(),
                                   config.service_patience_ns.end());
}

expected<std::shared_ptr<Node>, std::string> node_of(const ContainerConfig& config,
                                                     const Surroundings& around) {
  add_patience(*around.context, config);
  const Taking taking(*around.context);
  auto node = make_node(config.nodes.front(), {config, around.context, around.ros_tools});
  std::vector<std::string> wrong;
  if (!node) {
    for (const auto& line : node.error().lines) {
      wrong.push_back(line.text);
    }
  } else {
    tell_undeclared_overrides(**node);
    for (const NodeError& error : (*node)->errors()) {
      wrong.push_back(error.text);
    }
  }
  return wrong.empty() ? expected<std::shared_ptr<Node>, std::string>(std::move(*node))
                       : Failure(fmt::format("{}", fmt::join(wrong, "; ")));
}

}  // namespace

void take_in(const nlohmann::json& request, MoveChannel& channel, NodeHolder& holder,
             Control& control, const Surroundings& around) {
  const auto stay = [&](const std::string& id, const std::string& text) {
    channel.refuse(text);
    control.node_stays(id, text);
  };
  const auto config = config_in(request);
  if (!config) {
    stay("", config.error());
    return;
  }
  const std::string& id = config->nodes.front().id;
  if (holder.find(id) != nullptr) {
    stay(id, "it is in this container already");
    return;
  }
  auto node = node_of(*config, around);
  if (!node) {
    stay(id, node.error());
    return;
  }
  const auto taken = take_over(channel, **node);
  if (!taken) {
    control.node_stays(id, taken.error());
    return;
  }
  if (auto added = holder.add(*node); !added) {
    control.node_error(id, added.error());
    return;
  }
  control.node_added(*node);
  control.node_moved(**node, taken->stopped_ns);
}

}  // namespace ligament::container
