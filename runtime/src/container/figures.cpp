// SPDX-License-Identifier: Apache-2.0
#include "container/figures.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <ctime>

#include "node/node_state.hpp"
#include "node/subscription_state.hpp"

namespace ligament::container {
namespace {

std::int64_t process_cpu_now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

std::int64_t peak_rss_bytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return std::int64_t{usage.ru_maxrss} * 1024;  // Linux counts in KiB
}

/// Whom messages waited for in vain, one entry per subscription.
nlohmann::json stalled_nodes(const PublisherStatistics& figures) {
  nlohmann::json nodes = nlohmann::json::array();
  for (const StalledSubscription& one : figures.stalled_by) {
    nodes.push_back({{"node", one.node}, {"pid", one.pid}, {"now", one.now}, {"times", one.times}});
  }
  return nodes;
}

nlohmann::json publisher_figures(const PublisherBase& publisher) {
  const auto figures = publisher.statistics();
  return {{"topic", publisher.get_topic_name()},
          {"published", figures.published},
          {"bytes", figures.bytes},
          {"loans_failed", figures.loans_failed},
          {"serialised", figures.serialised},
          {"bytes_serialised", figures.bytes_serialised},
          {"waits", figures.waits},
          {"overrun", figures.overrun},
          {"stalled", figures.stalled},
          {"stalled_by", stalled_nodes(figures)},
          {"deadline_missed", figures.deadline_missed},
          {"blocks", figures.blocks},
          {"blocks_free", figures.blocks_free},
          {"memory_bytes", figures.memory_bytes},
          {"matched", publisher.get_subscription_count()}};
}

nlohmann::json service_figures(const ServiceBase& service) {
  const auto figures = service.statistics();
  return {{"service", service.get_service_name()},
          {"requests", figures.requests},
          {"replies", figures.replies},
          {"failed", figures.failed},
          {"strayed", figures.strayed},
          {"invalid", figures.invalid},
          {"lost", figures.lost},
          {"dropped", figures.dropped},
          {"stalled", figures.stalled},
          {"matched", service.get_client_count()}};
}

nlohmann::json client_figures(const ClientBase& client) {
  const auto figures = client.statistics();
  return {{"service", client.get_service_name()}, {"requests", figures.requests},
          {"replies", figures.replies},           {"failed", figures.failed},
          {"strayed", figures.strayed},           {"invalid", figures.invalid},
          {"timeouts", figures.timeouts},         {"pending", figures.pending},
          {"stalled", figures.stalled},           {"ready", client.service_is_ready()}};
}

/// Only where there are any: most nodes have none. A service that nobody has ever reached is left
/// out too, else the six of the parameters would fill the line.
void add_service_figures(nlohmann::json& node, detail::NodeState& state) {
  for (const auto& service : detail::alive(state.mutex, state.services)) {
    auto figures = service_figures(*service);
    if (figures["requests"] != 0 || figures["strayed"] != 0 || figures["matched"] != 0) {
      node["services"].push_back(std::move(figures));
    }
  }
  for (const auto& client : detail::alive(state.mutex, state.clients)) {
    node["clients"].push_back(client_figures(*client));
  }
}

/// Only of a node with kernels. Under the node's lock, so that the node does not go meanwhile.
void add_kernel_figures(nlohmann::json& node, detail::NodeState& state) {
  const std::lock_guard lock(state.mutex);
  if (!state.kernel_figures) {
    return;
  }
  const detail::KernelFigures figures = state.kernel_figures();
  node["kernels"] = {{"launches", figures.launches},  {"refused", figures.refused},
                     {"copies", figures.copies},      {"bytes_copied", figures.bytes_copied},
                     {"staged", figures.staged},      {"bytes_staged", figures.bytes_staged},
                     {"imported", figures.imported},  {"import_ns", figures.import_ns},
                     {"kernel_ns", figures.kernel_ns}};
}

/// Gateways that a node serves; the port of the design whose first node it is.
void add_gateway_figures(nlohmann::json& hardware, const detail::HardwareFigures& figures) {
  for (const detail::GatewayCounts& gateway : figures.gateways) {
    hardware["gateways"].push_back({{"topic", gateway.topic},
                                    {"sent", gateway.sent},
                                    {"stored", gateway.stored},
                                    {"filtered", gateway.filtered},
                                    {"failed", gateway.failed}});
  }
  if (figures.port) {
    hardware["port"] = {{"busy", figures.port->busy},
                        {"reads", figures.port->reads},
                        {"writes", figures.port->writes}};
  }
}

/// Only of a node in hardware. Under the node's lock, as above.
void add_hardware_figures(nlohmann::json& node, detail::NodeState& state) {
  const std::lock_guard lock(state.mutex);
  if (!state.hardware_figures) {
    return;
  }
  const detail::HardwareFigures figures = state.hardware_figures();
  auto networks = nlohmann::json::array();
  for (const detail::NetworkCounts& network : figures.networks) {
    networks.push_back({{"topic", network.topic},
                        {"frames", network.frames},
                        {"beats", network.beats},
                        {"stalls", network.stalls},
                        {"gaps", network.gaps},
                        {"drops", network.drops},
                        {"peak_beats", network.peak}});
  }
  auto streams = nlohmann::json::array();
  for (const detail::StreamCounts& stream : figures.streams) {
    streams.push_back({{"port", stream.port},
                       {"direction", stream.is_input ? "in" : "out"},
                       {"memory", stream.in_memory},
                       {"beats", stream.beats},
                       {"stalls", stream.stalls},
                       {"gaps", stream.gaps}});
  }
  node["hardware"] = {{"messages", figures.messages},  {"refused", figures.refused},
                      {"left", figures.left},          {"cycles", figures.cycles},
                      {"isolated", figures.isolated},  {"device", figures.device},
                      {"held", figures.held},          {"design_cycles", figures.design_cycles},
                      {"starved", figures.starved},    {"full", figures.full},
                      {"streams", std::move(streams)}, {"networks", std::move(networks)}};
  add_gateway_figures(node["hardware"], figures);
}

/// Only of a node in firmware. Under the node's lock, as above.
void add_core_figures(nlohmann::json& node, detail::NodeState& state) {
  const std::lock_guard lock(state.mutex);
  if (!state.core_figures) {
    return;
  }
  const detail::CoreFigures figures = state.core_figures();
  node["core"] = {{"device", figures.device},
                  {"state", figures.state},
                  {"starts", figures.starts},
                  {"ends", figures.ends},
                  {"last_end", figures.last_end}};
}

}  // namespace

/// The process's CPU time since the last line, given to the nodes in proportion to the time that
/// they spent in callbacks: reading a thread's CPU clock around each callback would be a system
/// call per message. With one node per container it is exact.
void Figures::share_out_cpu_time() {
  const std::int64_t cpu_ns = process_cpu_now_ns();
  const auto spent = static_cast<double>(cpu_ns - process_cpu_ns_);
  process_cpu_ns_ = cpu_ns;
  std::vector<std::int64_t> busy;
  std::int64_t all = 0;
  for (const auto& node : nodes_) {
    const auto total = node->state().figures.busy_ns.load(std::memory_order_relaxed);
    busy.push_back(total - past_[node.get()].busy_ns);
    past_[node.get()].busy_ns = total;
    all += busy.back();
  }
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const double share = all == 0 ? 1.0 / static_cast<double>(nodes_.size())
                                  : static_cast<double>(busy[i]) / static_cast<double>(all);
    past_[nodes_[i].get()].cpu_ns += share * spent;
  }
}

nlohmann::json Figures::subscription_figures(const SubscriptionBase& subscription) {
  const auto figures = subscription.statistics();
  const Counts counts = subscription.state().ages.counts();
  Counts& before = ages_[subscription.id()];
  Counts recent{};
  for (std::size_t i = 0; i < counts.size(); ++i) {
    recent[i] = counts[i] - before[i];
  }
  before = counts;
  return {{"topic", subscription.get_topic_name()},
          {"taken", figures.taken},
          {"lost", figures.lost},
          {"expired", figures.expired},
          {"deadline_missed", figures.deadline_missed},
          {"history", figures.history},
          {"age_ns_p50", detail::AgeHistogram::percentile(recent, 0.5)},
          {"age_ns_p99", detail::AgeHistogram::percentile(recent, 0.99)},
          {"copies", figures.copies},
          {"bytes_copied", figures.bytes_copied},
          {"invalid", figures.invalid},
          {"held_back", figures.refused},
          {"matched", subscription.get_publisher_count()}};
}

nlohmann::json Figures::node_figures(const Node& node, std::int64_t now_ns) {
  detail::NodeState& state = node.state();
  const auto& figures = state.figures;
  const auto since = figures.oldest_running_ns();
  auto publishers = nlohmann::json::array();
  for (const auto& publisher : detail::alive(state.mutex, state.publishers)) {
    publishers.push_back(publisher_figures(*publisher));
  }
  auto subscriptions = nlohmann::json::array();
  for (const auto& subscription : detail::alive(state.mutex, state.subscriptions)) {
    subscriptions.push_back(subscription_figures(*subscription));
  }
  nlohmann::json line{{"id", state.id},
                      {"cpu_ns", static_cast<std::int64_t>(past_[&node].cpu_ns)},
                      {"busy_ns", figures.busy_ns.load(std::memory_order_relaxed)},
                      {"callbacks", figures.callbacks.load(std::memory_order_relaxed)},
                      {"callback_running_ns", since == 0 || since > now_ns ? 0 : now_ns - since},
                      {"heap_allocs", figures.heap_allocations.load(std::memory_order_relaxed)},
                      {"publishers", std::move(publishers)},
                      {"subscriptions", std::move(subscriptions)}};
  add_service_figures(line, state);
  add_kernel_figures(line, state);
  add_hardware_figures(line, state);
  add_core_figures(line, state);
  return line;
}

/// A node of the same address may come later: what is remembered of the old one must not stay.
void Figures::set_nodes(std::vector<std::shared_ptr<Node>> nodes) {
  nodes_ = std::move(nodes);
  std::erase_if(past_, [this](const auto& entry) {
    return std::none_of(nodes_.begin(), nodes_.end(),
                        [&](const auto& node) { return node.get() == entry.first; });
  });
}

nlohmann::json Figures::status_line() {
  const std::int64_t now_ns = pool::monotonic_now_ns();
  share_out_cpu_time();
  auto nodes = nlohmann::json::array();
  for (const auto& node : nodes_) {
    nodes.push_back(node_figures(*node, now_ns));
  }
  return {{"event", "status"},
          {"t_ns", now_ns},
          {"peak_rss_bytes", peak_rss_bytes()},
          {"nodes", std::move(nodes)}};
}

}  // namespace ligament::container
