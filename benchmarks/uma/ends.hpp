// SPDX-License-Identifier: Apache-2.0
/// \file What the nodes of the benchmark share: their place in the graph, and their processes.
#pragma once

#include <atomic>
#include <container/inner_edge.hpp>
#include <functional>
#include <ligament/gpu_node.hpp>
#include <ligament/ligament.hpp>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "runs.hpp"

namespace uma {

namespace gpu = ligament::gpu;

/// The bytes of a message's fields beside its array.
inline constexpr std::size_t room_for_fields = 512;

/// A node's context; with ROS's middleware, a pool of its own and an edge in this process.
class Place {
 public:
  Place(const Setup& setup, const std::string& role);
  [[nodiscard]] const std::shared_ptr<ligament::Context>& context() const { return context_; }
  /// Topics that carry tiles have the way's mode, and memory that devices may work on.
  [[nodiscard]] ligament::NodeOptions options(const Setup& setup) const;

 private:
  std::shared_ptr<ligament::Context> context_;
  ligament::container::StatusChannel silent_{-1};
  std::unique_ptr<ligament::container::InnerEdgeKeeper> edge_;
};

/// A node that somebody else spins: what it is, and what it has copied.
struct Served {
  std::shared_ptr<ligament::Node> node;
  std::function<Copies()> copies;
};
using MakeNode = std::function<Served(const Place&)>;
[[nodiscard]] Served make_gpu_node(const Setup& setup, const Place& place);
[[nodiscard]] Served make_worker(const Setup& setup, std::uint32_t worker, const Place& place);
/// Does a worker's part for each request.
[[nodiscard]] Served make_server(const Setup& setup, std::uint32_t worker, const Place& place);
/// What serves a role.
[[nodiscard]] MakeNode maker_of(const Setup& setup, const std::string& role);

/// Nodes beside the one that measures: each a process, or with ROS-ZC a thread of this one.
class Peer {
 public:
  virtual ~Peer() = default;
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;
  [[nodiscard]] virtual Copies copies() = 0;
  /// It cannot take part any more.
  [[nodiscard]] virtual bool has_ended() = 0;
  [[nodiscard]] static std::unique_ptr<Peer> start(const Setup& setup, const Commands& commands,
                                                   const std::string& role);

 protected:
  Peer() = default;
};

/// The peers of a run.
class Peers {
 public:
  void start(const Setup& setup, const Commands& commands, const std::string& role) {
    all_.push_back(Peer::start(setup, commands, role));
  }
  [[nodiscard]] Copies copies() const;
  /// Gives up where one has ended.
  void check() const;

 private:
  std::vector<std::unique_ptr<Peer>> all_;
};

/// Gives up where a node has errors.
void check(const ligament::Node& node);

/// Spins a node of this process until it is done, and looks after the peers.
class Spinner {
 public:
  Spinner(const Place& place, std::shared_ptr<ligament::Node> node, const Peers& peers);
  void until(const std::function<bool()>& is_done);

 private:
  std::shared_ptr<ligament::Node> node_;
  const Peers& peers_;
  ligament::executors::SingleThreadedExecutor executor_;
  std::int64_t look_again_ns_ = 0;
};

[[nodiscard]] Copies copies_of(const ligament::nodes::parallel::PartCounts& counts,
                               const gpu::Program* program);

}  // namespace uma
