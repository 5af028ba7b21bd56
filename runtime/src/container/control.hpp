// SPDX-License-Identifier: Apache-2.0
/// \file The container's control thread: signals, status lines, problems of the pool, the starter's
/// death. The executor's thread never waits for it.
#pragma once

#include <atomic>
#include <cstdint>
#include <ligament/context.hpp>
#include <ligament/log_throttle.hpp>
#include <ligament/node.hpp>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "container/figures.hpp"
#include "container/status_channel.hpp"

namespace ligament::container {

class Control : public ContextObserver {
 public:
  /// Starts the thread. SIGINT and SIGTERM must be blocked in the whole process.
  Control(StatusChannel& channel, Context& context);
  /// Stops the thread; queued lines are written.
  ~Control() override;
  Control(const Control&) = delete;
  Control& operator=(const Control&) = delete;

  /// The nodes are there and run: `ready` is written and status lines begin.
  void nodes_are_ready(const std::vector<std::shared_ptr<Node>>& nodes);
  /// The node has come from another container, where it had stopped then (CLOCK_MONOTONIC).
  void node_moved(const Node& node, std::int64_t stopped_ns);
  /// It runs on in the other container, because this one could not take its place.
  void node_stays(const std::string& node_id, const std::string& text);
  /// One came or went while they run.
  void node_added(const std::shared_ptr<Node>& node);
  void node_removed(const std::shared_ptr<Node>& node);
  /// The nodes are about to end: a last status line, no more after it.
  void nodes_are_done();

  void node_error(const std::string& node_id, const std::string& text) override;
  void node_finished(const std::string& node_id) override;

 private:
  void run();
  void wake() const;
  void post(nlohmann::json line);
  void write_queued();
  void on_signal();
  void on_tick();
  void report_new_problems();
  void tell_counts();
  std::vector<std::shared_ptr<Node>> running_nodes();

  StatusChannel& channel_;
  Context& context_;
  int signals_;  ///< signalfd
  int bell_;     ///< eventfd: something is queued, or the thread shall end
  std::atomic<bool> ending_{false};
  bool stop_requested_ = false;
  std::mutex mutex_;  ///< guards all below
  std::vector<nlohmann::json> queue_;
  std::vector<std::shared_ptr<Node>> nodes_;
  std::unique_ptr<Figures> figures_;
  std::set<std::string> finished_;
  std::set<std::string> known_problems_;
  LogThrottle graph_problems_;  ///< of the pool, which other processes cause; of no node here
  std::thread thread_;
};

}  // namespace ligament::container
