// SPDX-License-Identifier: Apache-2.0
#include "container/node_holder.hpp"

#include <algorithm>
#include <utility>

#include "container/find_class.hpp"

namespace ligament::container {
namespace {

unexpected<std::string> refused(std::string text) {
  return unexpected<std::string>(std::move(text));
}

std::string all_errors(const Node& node) {
  std::string text;
  for (const NodeError& error : node.errors()) {
    text += (text.empty() ? "" : "; ") + error.text;
  }
  return text;
}

/// The rules are of a manifest, so all nodes of a class have the same: those of the graph's.
NodeOptions with_rules(NodeOptions options, const std::string& class_name,
                       const ContainerConfig& config) {
  const auto known =
      std::find_if(config.nodes.begin(), config.nodes.end(),
                   [&class_name](const NodeConfig& node) { return node.class_name == class_name; });
  if (known != config.nodes.end()) {
    for (const auto& [name, rule] : known->parameter_rules) {
      options.parameter_rule(name, rule);
    }
  }
  return options;
}

}  // namespace

std::string NodeHolder::same_name_as(const std::string& id) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [number, node] : nodes_) {
    if (node->get_fully_qualified_name() == id) {
      return "there is a node '" + id + "' in this container already, with the unique id " +
             std::to_string(number) + "; give the new one another name or namespace";
    }
  }
  return "";
}

expected<std::uint64_t, std::string> NodeHolder::add(std::shared_ptr<Node> node) {
  if (auto added = runner_.add(node); !added) {
    return refused(added.error().text);
  }
  const std::lock_guard lock(mutex_);
  nodes_.emplace(++last_, std::move(node));
  return last_;
}

expected<std::uint64_t, std::string> NodeHolder::load(const LoadRequest& request) {
  const auto factory = find_class(request.package, request.class_name);
  if (!factory) {
    return refused(factory.error());
  }
  auto made = construct(*factory, request.class_name,
                        with_rules(request.options, request.class_name, around_.config));
  if (!made) {
    return refused(made.error());
  }
  std::shared_ptr<Node> node = std::move(*made);
  if (auto taken = same_name_as(node->get_fully_qualified_name()); !taken.empty()) {
    return refused(std::move(taken));
  }
  tell_undeclared_overrides(*node);
  if (auto wrong = all_errors(*node); !wrong.empty()) {
    return refused(std::move(wrong));
  }
  auto number = add(node);
  if (number) {
    control_.node_added(node);
  }
  return number;
}

expected<void, std::string> NodeHolder::unload(std::uint64_t number) {
  std::shared_ptr<Node> node;
  {
    const std::lock_guard lock(mutex_);
    const auto found = nodes_.extract(number);
    if (found.empty()) {
      return refused("no node of this container has the unique id " + std::to_string(number) +
                     "; list_nodes tells which there are");
    }
    node = found.mapped();
  }
  runner_.remove(node);
  control_.node_removed(node);
  return {};
}

std::shared_ptr<Node> NodeHolder::find(const std::string& id) const {
  const auto all = nodes();
  const auto found = std::find_if(all.begin(), all.end(), [&id](const auto& node) {
    return node->get_fully_qualified_name() == id;
  });
  return found == all.end() ? nullptr : *found;
}

void NodeHolder::go_on(const std::shared_ptr<Node>& node) {
  if (find(node->get_fully_qualified_name()) != node) {
    return;
  }
  if (auto added = runner_.add(node); !added) {
    control_.node_error(node->get_fully_qualified_name(), added.error().text);
  }
}

void NodeHolder::release(const std::shared_ptr<Node>& node) {
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(nodes_, [&node](const auto& entry) { return entry.second == node; });
  }
  control_.node_removed(node);
}

std::string NodeHolder::name_of(std::uint64_t number) const {
  const auto all = list();
  const auto found = all.find(number);
  return found == all.end() ? "" : found->second;
}

std::map<std::uint64_t, std::string> NodeHolder::list() const {
  const std::lock_guard lock(mutex_);
  std::map<std::uint64_t, std::string> all;
  for (const auto& [number, node] : nodes_) {
    all.emplace(number, node->get_fully_qualified_name());
  }
  return all;
}

std::vector<std::shared_ptr<Node>> NodeHolder::nodes() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<Node>> all;
  for (const auto& [number, node] : nodes_) {
    all.push_back(node);
  }
  return all;
}

}  // namespace ligament::container
