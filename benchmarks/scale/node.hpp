// SPDX-License-Identifier: Apache-2.0
/// \file One node of a large graph: publishes on its own topics, subscribes to others', and obeys.
///
/// Topic k of node i has one subscription, in node (i - distance(k)) mod nodes: the distances are
/// spread over the graph, and the first is 1, so that all nodes are connected.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ligament/detail/pool.hpp"

namespace bench {

struct NodeOptions {
  std::string domain;
  std::size_t index = 0;
  std::size_t nodes = 2;
  std::size_t topics = 5;
  std::size_t bytes = 64;
  std::uint32_t depth = 10;
};

/// What the conductor asks for, over standard input.
struct Orders {
  double load_hz = 0;                ///< of each topic but the probe's; 0: silence
  std::int64_t probe_period_ns = 0;  ///< node 0: publishes the probe at this pace
  std::size_t probes_to_send = 0;
  std::size_t probes_to_take = 0;  ///< the subscriber of the probe: how many it waits for
};

class Node {
 public:
  explicit Node(NodeOptions options);

  /// Joins and creates all endpoints. The error is a sentence.
  [[nodiscard]] std::string start();
  [[nodiscard]] bool is_matched() const;
  /// Publishes and takes as ordered, until `stop`; prints what it is asked for.
  void run();
  void obey(const Orders& orders);  ///< from another thread
  void stop();                      ///< from another thread
  [[nodiscard]] bool is_stopped() const { return stop_.load(); }
  [[nodiscard]] nlohmann::json counts() const;

 private:
  using Clock = std::int64_t;  // ns, monotonic
  [[nodiscard]] std::size_t distance(std::size_t topic) const;
  void receive_orders(Clock now);
  void publish_due(Clock now);
  void publish(std::size_t topic);
  void take_all();
  void note_probe(const ligament::pool::SampleInfo& info);
  [[nodiscard]] Clock next_due() const;

  const NodeOptions options_;
  std::shared_ptr<ligament::pool::Domain> domain_;
  std::unique_ptr<ligament::pool::Waiter> waiter_;
  std::vector<std::unique_ptr<ligament::pool::Writer>> writers_;
  std::vector<std::unique_ptr<ligament::pool::Reader>> readers_;

  std::mutex mutex_;  ///< guards new_orders_
  Orders new_orders_;
  std::atomic<bool> ordered_{false};
  std::atomic<bool> stop_{false};

  Orders orders_;
  Clock next_load_ = ligament::pool::no_deadline;
  Clock next_probe_ = ligament::pool::no_deadline;
  std::vector<Clock> latencies_;
  std::uint64_t lost_before_ = 0;  ///< of the probe's subscription, when the order came
  std::uint64_t published_ = 0;
  std::uint64_t taken_ = 0;
  std::uint64_t failed_ = 0;  ///< loans that were refused
};

}  // namespace bench
