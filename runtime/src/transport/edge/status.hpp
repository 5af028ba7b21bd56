// SPDX-License-Identifier: Apache-2.0
/// \file What the edge tells the tool: the status lines of spec/run/status.schema.json.
#pragma once

#include <ligament/log_throttle.hpp>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "container/status_channel.hpp"
#include "transport/edge/edge.hpp"

namespace ligament::edge {

/// The `edge` line: what passed per topic since the start.
[[nodiscard]] nlohmann::json figures_line(const std::vector<TopicFigures>& figures);

/// Sends the figures each time it is asked, until they are the same for a second time; and each
/// problem once, limited in rate.
class StatusWriter {
 public:
  /// `origin`: whose problems they are; empty where the edge is a process of its own.
  StatusWriter(container::StatusChannel& channel, Edge& edge, std::string origin = "");
  void write();

 private:
  container::StatusChannel& channel_;
  Edge& edge_;
  const std::string origin_;
  LogThrottle problems_;
  std::set<std::string> told_;
  std::vector<TopicFigures> told_figures_;
  bool has_told_ = false;
  bool told_twice_ = false;
};

}  // namespace ligament::edge
