// SPDX-License-Identifier: Apache-2.0
/// \file The edge: gives every endpoint of a graph its proxy endpoint in DDS, so that ROS 2 tools
/// and nodes on the network work with it, in both directions (spec/wire/dds.md).
///
///   auto edge = Edge::start({.graph = "perception", .run_id = "run-17"});
///   if (!edge) { fail(edge.error()); }
///   ...                                   // three threads of its own work until it is destroyed
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ligament/detail/pool.hpp"
#include "transport/dds/participant.hpp"
#include "transport/edge/farewell.hpp"
#include "transport/edge/graph_info.hpp"
#include "transport/edge/graph_mirror.hpp"
#include "transport/edge/inbound_route.hpp"
#include "transport/edge/outbound_route.hpp"
#include "transport/edge/service_routes.hpp"

namespace ligament::edge {

/// Node name of all edges: their own endpoints in the pool have no proxy endpoint in DDS.
inline constexpr const char* edge_node = "/_edge";

struct Options {
  std::string graph;   ///< name of the pool's domain
  std::string run_id;  ///< of the run to join
  dds::ParticipantOptions participant{};
  GidForm gid_form = GidForm::jazzy;
  /// What the samples of one topic from outside may take in the pool.
  std::size_t topic_memory_bytes = std::size_t{1} << 30;
};

/// What passed since the start, per topic.
struct TopicFigures {
  std::string topic;
  std::size_t publishers = 0;     ///< here
  std::size_t subscriptions = 0;  ///< here
  std::size_t remote_writers = 0;
  std::size_t remote_readers = 0;
  OutboundFigures out;
  InboundFigures in;
  bool operator==(const TopicFigures&) const = default;
};

class Edge {
 public:
  [[nodiscard]] static expected<std::unique_ptr<Edge>, std::string> start(const Options& options);
  ~Edge();
  Edge(const Edge&) = delete;
  Edge& operator=(const Edge&) = delete;

  [[nodiscard]] std::vector<TopicFigures> figures();
  /// Whether anybody else is in the pool's domain.
  [[nodiscard]] bool has_company() const {
    return !domain_->peers().empty() || domain_->foreign_peers() != 0;
  }
  /// What hinders remote endpoints on topics that are used here, one sentence each.
  [[nodiscard]] std::vector<std::string> problems();

 private:
  using Endpoints = std::vector<pool::EndpointInfo>;
  /// One of the graph's endpoints, with its proxy.
  struct LocalWriter {
    pool::EndpointDescription description;
    std::unique_ptr<dds::Writer> proxy;
    std::uint64_t reply_reader = 0;  ///< of a client: the other end of it, once it is known
  };
  struct LocalReader {
    pool::EndpointDescription description;
    std::unique_ptr<dds::Reader> proxy;
  };
  /// Publishers of a topic that take the same route: those that wait for it are heard by one that
  /// lets them wait, which would not hear best-effort ones.
  struct OutKind {
    DurabilityPolicy durability = DurabilityPolicy::volatile_;
    bool is_paced = false;
    bool operator==(const OutKind&) const = default;
    bool operator<(const OutKind& other) const {
      return std::pair(durability, is_paced) < std::pair(other.durability, other.is_paced);
    }
  };
  struct OutRoutes {
    std::shared_ptr<OutboundRoute> open;
    std::shared_ptr<OutboundRoute> next;  ///< a larger one, that is to take its place
  };
  struct Topic {
    std::map<std::uint64_t, LocalWriter> writers;
    std::map<std::uint64_t, LocalReader> readers;
    std::shared_ptr<InboundRoute> in;
    QoSProfile offered;        ///< by the inbound route, while it is open
    OutboundFigures past_out;  ///< of outbound routes that are closed
    InboundFigures past_in;    ///< of the time before its nodes left and others came
    std::map<OutKind, OutRoutes> out;
    [[nodiscard]] bool is_empty() const { return writers.empty() && readers.empty(); }
  };

  explicit Edge(const Options& options) : options_(options) {}
  [[nodiscard]] expected<void, std::string> join();
  [[nodiscard]] expected<void, std::string> open_mirror();
  [[nodiscard]] expected<void, std::string> watch_pool();
  void notify();
  void tell_waiting();
  void tell_pool_changed();

  // control thread
  struct Work {
    bool is_due = false;            ///< a look at everything
    bool is_waiting = false;        ///< samples that an inbound route has kept
    bool has_pool_changed = false;  ///< which may be so again and again, while many processes start
  };
  void run_control();
  void await_work(Work& work);
  [[nodiscard]] bool deliver_waiting();
  void find_ready_clients(const std::string& name, Topic& topic);
  [[nodiscard]] std::optional<dds::Gid> reply_reader_of_client(
      const std::string& replies, const dds::Gid& client, const pool::RequestIdentity& request);
  void reconcile();
  void drop_gone(const Endpoints& endpoints);
  void let_go(Topic& topic, std::uint64_t id, LocalWriter& writer);
  void remember(const std::string& name, Topic& topic);
  [[nodiscard]] Topic& topic_of(const std::string& name);
  void add_new(const Endpoints& endpoints);
  void add_writer(Topic& topic, const pool::EndpointInfo& endpoint);
  void add_reader(Topic& topic, const pool::EndpointInfo& endpoint);
  void set_routes();
  [[nodiscard]] static OutKind kind_of(const QoSProfile& offered);
  [[nodiscard]] static std::size_t heard_by(const Topic& topic,
                                            const pool::EndpointDescription& wish);
  [[nodiscard]] static bool are_all_heard(const Topic& topic);
  static void close_out(Topic& topic, OutRoutes& route);
  [[nodiscard]] static bool is_too_small(const OutboundRoute& route, const Topic& topic,
                                         OutKind kind);
  [[nodiscard]] std::shared_ptr<OutboundRoute> open_out(pool::EndpointDescription wish,
                                                        OutboundRoute::ProxyWriters proxies,
                                                        bool idle);
  void grow_out(Topic& topic, OutKind kind, const OutboundRoute::ProxyWriters& proxies);
  void settle_out(Topic& topic, OutKind kind);
  void settle_in(Topic& topic);
  void open_in(Topic& topic, const pool::EndpointDescription& subscription);
  [[nodiscard]] static QoSProfile offer_for(const Topic& topic,
                                            const pool::EndpointDescription& subscription);
  /// What a writer's proxy is to the outbound route: of a request, in which form and with which
  /// client.
  [[nodiscard]] std::optional<ProxyWriter> proxy_writer(LocalWriter& writer);
  [[nodiscard]] pool::Gid reply_reader_of(LocalWriter& writer);
  [[nodiscard]] std::optional<dds::ServiceForm> form_of_servers(const std::string& request_topic);
  [[nodiscard]] static TopicFigures figures_of(const std::string& name, const Topic& topic);
  void find_problems();
  void judge_remote(const std::string& name, const Topic& topic, const dds::RemoteEndpoint& remote);
  void tell_graph();
  [[nodiscard]] GraphInfo describe_graph() const;
  [[nodiscard]] static pool::EndpointDescription wish_for_out(const Topic& topic, OutKind kind);

  // data thread
  void run_data();

  const Options options_;
  std::shared_ptr<pool::Domain> domain_;
  std::shared_ptr<pool::Waiter> waiter_;
  std::unique_ptr<pool::Reader> marker_;  ///< for which others tell us of every change of theirs
  std::shared_ptr<void> watch_;
  std::unique_ptr<dds::Participant> participant_;
  const std::shared_ptr<ServiceClients> clients_ = std::make_shared<ServiceClients>();
  std::unique_ptr<Farewell> farewell_;
  std::unique_ptr<dds::Writer> graph_writer_;
  std::unique_ptr<GraphMirror> mirror_;  ///< of a ROS domain; null elsewhere: nobody would look
  GraphInfo told_;
  std::int64_t told_at_ns_ = 0;
  bool is_graph_late_ = false;  ///< the graph changed too soon after we told of it
  bool is_matching_ = false;    ///< a larger outbound route does not hear all publishers yet
  bool is_growing_ = false;     ///< one cannot take the place of the smaller one yet
  bool has_twin_ = false;       ///< another process has an edge in this pool

  std::mutex mutex_;  ///< guards topics_, gone_, problems_, failures_
  std::map<std::string, Topic> topics_;
  std::map<std::string, TopicFigures> gone_;  ///< of topics whose nodes have left
  std::vector<std::string> problems_;         ///< pairs that do not match
  std::vector<std::string> failures_;         ///< what the last look could not make

  /// Guards what follows. All that the data thread takes: a look at the whole graph may be long.
  std::mutex routes_mutex_;
  std::vector<std::shared_ptr<OutboundRoute>> routes_;  ///< what the data thread pumps
  std::uint64_t routes_version_ = 0;

  std::mutex wake_mutex_;
  std::condition_variable wake_;
  bool changed_ = true;        ///< guarded by wake_mutex_
  bool waiting_told_ = false;  ///< guarded by wake_mutex_: an inbound route has kept a sample
  bool pool_changed_ = false;  ///< guarded by wake_mutex_
  std::atomic<bool> stop_{false};
  std::thread control_;
  std::thread data_;
};

}  // namespace ligament::edge
