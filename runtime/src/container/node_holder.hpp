// SPDX-License-Identifier: Apache-2.0
/// \file The nodes of a container while it runs: those of its configuration, and those that were
/// loaded later. Each has a number, as in ROS 2's component containers.
#pragma once

#include <cstdint>
#include <ligament/expected.hpp>
#include <ligament/node.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "container/control.hpp"
#include "container/make_node.hpp"
#include "container/runner.hpp"

namespace ligament::container {

/// What a node is loaded from.
struct LoadRequest {
  std::string package;     ///< in the ament index; empty: any library that is open
  std::string class_name;  ///< as it was registered
  NodeOptions options;     ///< with the container's own
};

class NodeHolder {
 public:
  NodeHolder(const Surroundings& around, Runner& runner, Control& control)
      : around_(around), runner_(runner), control_(control) {}
  NodeHolder(const NodeHolder&) = delete;
  NodeHolder& operator=(const NodeHolder&) = delete;

  /// Its number, from 1; or why it cannot be run.
  expected<std::uint64_t, std::string> add(std::shared_ptr<Node> node);
  /// Makes the node and runs it. What is wrong with it is in the text, and it is gone then.
  expected<std::uint64_t, std::string> load(const LoadRequest& request);
  /// Its callbacks have ended when this returns.
  expected<void, std::string> unload(std::uint64_t number);

  /// By its id; null: it is not here.
  [[nodiscard]] std::shared_ptr<Node> find(const std::string& id) const;
  /// For a node that may leave (spec/run/moving.md). It stays among the nodes, but none of its
  /// callbacks runs when this returns.
  void stop(const std::shared_ptr<Node>& node) { runner_.remove(node); }
  /// It runs again, unless it was unloaded meanwhile.
  void go_on(const std::shared_ptr<Node>& node);
  /// It is another container's now.
  void release(const std::shared_ptr<Node>& node);

  [[nodiscard]] std::string name_of(std::uint64_t number) const;
  /// Numbers and names.
  [[nodiscard]] std::map<std::uint64_t, std::string> list() const;
  [[nodiscard]] std::vector<std::shared_ptr<Node>> nodes() const;

 private:
  [[nodiscard]] std::string same_name_as(const std::string& id) const;

  const Surroundings& around_;
  Runner& runner_;
  Control& control_;
  mutable std::mutex mutex_;  ///< guards what follows
  std::uint64_t last_ = 0;
  std::map<std::uint64_t, std::shared_ptr<Node>> nodes_;
};

}  // namespace ligament::container
