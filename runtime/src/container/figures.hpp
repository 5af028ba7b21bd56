// SPDX-License-Identifier: Apache-2.0
/// \file What a `status` line says of each node.
#pragma once

#include <cstdint>
#include <ligament/node.hpp>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "node/age_histogram.hpp"

namespace ligament::container {

/// Makes status lines; remembers the line before, as some figures are of the time between two.
class Figures {
 public:
  explicit Figures(std::vector<std::shared_ptr<Node>> nodes) : nodes_(std::move(nodes)) {}

  /// Those that the next line is about.
  void set_nodes(std::vector<std::shared_ptr<Node>> nodes);
  [[nodiscard]] nlohmann::json status_line();

 private:
  struct NodePast {
    std::int64_t busy_ns = 0;
    double cpu_ns = 0;
  };
  using Counts = detail::AgeHistogram::Counts;

  void share_out_cpu_time();
  nlohmann::json node_figures(const Node& node, std::int64_t now_ns);
  nlohmann::json subscription_figures(const SubscriptionBase& subscription);

  std::vector<std::shared_ptr<Node>> nodes_;
  std::map<const Node*, NodePast> past_;
  std::map<std::uint64_t, Counts> ages_;  ///< by subscription id
  std::int64_t process_cpu_ns_ = 0;
};

}  // namespace ligament::container
