// SPDX-License-Identifier: Apache-2.0
// ligament-bench-edge-endpoints: what an edge costs that has many endpoints and nothing to carry:
// the time until all of them have their proxy endpoint in DDS, its memory, and its share of a core
// when idle.
//
//   ligament-bench-edge-endpoints [--endpoints 2000] [--idle 5] [--domain-id 99]
//
// The graph's endpoints are in this process, one publisher or subscription per topic; the edge is a
// process of its own (this program again). Prints one line of JSON. A domain of DDS that nobody
// else uses is best kept to the loopback interface by CYCLONEDDS_URI.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "transport/edge/edge.hpp"

namespace {

namespace edge = ligament::edge;
namespace pool = ligament::pool;

struct Options {
  unsigned endpoints = 2000;
  unsigned idle_s = 5;
  unsigned domain_id = 99;
  std::string graph = fmt::format("bench-edge-{}", ::getpid());
  bool is_edge = false;
};

/// User and system time of this process.
std::int64_t cpu_ns() {
  rusage usage{};
  (void)::getrusage(RUSAGE_SELF, &usage);
  const auto ns = [](const timeval& time) {
    return std::int64_t{time.tv_sec} * 1'000'000'000 + std::int64_t{time.tv_usec} * 1000;
  };
  return ns(usage.ru_utime) + ns(usage.ru_stime);
}

/// A line of /proc/self/status, in kB.
std::int64_t status_kb(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(key + ":")) {
      return std::stoll(line.substr(key.size() + 1));
    }
  }
  return 0;
}

std::size_t proxies(edge::Edge& running) {
  std::size_t count = 0;
  for (const auto& topic : running.figures()) {
    count += topic.publishers + topic.subscriptions;
  }
  return count;
}

/// The edge's process: exit status 1 if it cannot start, or some endpoint gets no proxy.
int run_edge(const Options& options) {
  const std::int64_t begin = pool::monotonic_now_ns();
  auto running = edge::Edge::start(
      {.graph = options.graph, .run_id = "bench", .participant = {.domain = options.domain_id}});
  if (!running) {
    fmt::print(stderr, "ligament-bench-edge-endpoints: {}\n", running.error());
    return 1;
  }
  const std::int64_t joined = pool::monotonic_now_ns();
  while (proxies(**running) < options.endpoints) {
    if (pool::monotonic_now_ns() - begin > 60'000'000'000) {
      fmt::print(stderr, "ligament-bench-edge-endpoints: only {} of {} endpoints after 60 s\n",
                 proxies(**running), options.endpoints);
      return 1;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  const std::int64_t ready = pool::monotonic_now_ns();
  std::this_thread::sleep_for(std::chrono::seconds(1));  // what announces them has settled
  const std::int64_t cpu_before = cpu_ns();
  const std::int64_t idle_begin = pool::monotonic_now_ns();
  std::this_thread::sleep_for(std::chrono::seconds(options.idle_s));
  const std::int64_t idle_ns = pool::monotonic_now_ns() - idle_begin;
  const double idle_cpu = static_cast<double>(cpu_ns() - cpu_before) / static_cast<double>(idle_ns);
  const nlohmann::json figures{{"endpoints", options.endpoints},
                               {"join_ms", static_cast<double>(joined - begin) / 1e6},
                               {"start_ms", static_cast<double>(ready - begin) / 1e6},
                               {"rss_mb", static_cast<double>(status_kb("VmRSS")) / 1024.0},
                               {"rss_anon_mb", static_cast<double>(status_kb("RssAnon")) / 1024.0},
                               {"idle_cpu_percent", 100.0 * idle_cpu},
                               {"idle_s", options.idle_s}};
  fmt::print("{}\n", figures.dump());
  return 0;
}

struct Graph {
  std::shared_ptr<pool::Domain> domain;
  std::unique_ptr<pool::Waiter> waiter;
  std::vector<std::unique_ptr<pool::Writer>> writers;
  std::vector<std::unique_ptr<pool::Reader>> readers;
};

/// False, with a sentence: the pool has no room for so many.
bool populate(Graph& graph, const Options& options) {
  graph.domain = *pool::Domain::join({options.graph, "bench"});
  graph.waiter = *graph.domain->create_waiter();
  for (unsigned i = 0; i < options.endpoints; ++i) {
    pool::EndpointDescription description;
    description.topic = fmt::format("/bench/topic_{}", i);
    description.type_name = "std_msgs/msg/String";
    description.node = fmt::format("/bench/node_{}", i / 20);
    if (i % 2 == 0) {
      auto writer = graph.domain->create_writer(description);
      if (!writer) {
        fmt::print(stderr, "ligament-bench-edge-endpoints: {}\n", writer.error().text);
        return false;
      }
      graph.writers.push_back(std::move(*writer));
    } else {
      auto reader = graph.domain->create_reader(description, *graph.waiter);
      if (!reader) {
        fmt::print(stderr, "ligament-bench-edge-endpoints: {}\n", reader.error().text);
        return false;
      }
      graph.readers.push_back(std::move(*reader));
    }
  }
  return true;
}

int run_graph(const Options& options, const char* program) {
  Graph graph;
  if (!populate(graph, options)) {
    return 1;
  }
  const pid_t child = ::fork();
  if (child == 0) {
    const std::string endpoints = std::to_string(options.endpoints);
    const std::string idle = std::to_string(options.idle_s);
    const std::string domain = std::to_string(options.domain_id);
    ::execl("/proc/self/exe", program, "--edge", "--graph", options.graph.c_str(), "--endpoints",
            endpoints.c_str(), "--idle", idle.c_str(), "--domain-id", domain.c_str(), nullptr);
    ::_exit(127);
  }
  int status = 0;
  (void)::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Start, memory and idle cost of an edge with many endpoints."};
  Options options;
  app.add_option("--endpoints", options.endpoints, "Publishers and subscriptions of the graph")
      ->capture_default_str();
  app.add_option("--idle", options.idle_s, "Seconds of idleness that are measured")
      ->capture_default_str();
  app.add_option("--domain-id", options.domain_id, "DDS domain")->capture_default_str();
  app.add_option("--graph", options.graph, "Name of the pool's domain")->group("");
  app.add_flag("--edge", options.is_edge, "Be the edge's process")->group("");
  CLI11_PARSE(app, argc, argv);
  return options.is_edge ? run_edge(options) : run_graph(options, argv[0]);
}
