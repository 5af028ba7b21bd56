// SPDX-License-Identifier: Apache-2.0
// ligament-bench-fleet: one host of a fleet: its endpoints in this process's pool, and the edge as
// a process of its own (this program again). `ligament bench fleet` starts one in each network
// namespace.
//
//   ligament-bench-fleet --hosts 20 --host 3 --topics 25 --readers 2 [--domain-id 99]
//
// Topic t of hosts x topics is published on host t mod hosts, and subscribed to on the `readers`
// hosts that follow it. The edge prints one JSON object once each of its proxy endpoints is matched
// with all that it should be, then the line `ready`. SIGTERM ends both.
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "transport/edge/edge.hpp"

namespace {

namespace edge = ligament::edge;
namespace pool = ligament::pool;

/// Between two looks at what is matched: a fiftieth of the time so far, so that a long start is not
/// slowed by being watched.
constexpr std::int64_t least_look_ns = 5'000'000;

struct Options {
  unsigned hosts = 2;
  unsigned host = 0;
  unsigned topics = 25;
  unsigned readers = 2;
  unsigned domain_id = 99;
  std::string graph = fmt::format("bench-fleet-{}", ::getpid());
  bool is_edge = false;
};

/// What this host has of a topic, and with whom these are to be matched.
struct Share {
  unsigned publishers = 0;
  unsigned subscriptions = 0;
  unsigned remote_readers = 0;
  unsigned remote_writers = 0;
};

std::map<std::string, Share> shares_of(const Options& options) {
  std::map<std::string, Share> shares;
  for (unsigned topic = 0; topic < options.hosts * options.topics; ++topic) {
    const unsigned publisher = topic % options.hosts;
    Share share;
    share.publishers = publisher == options.host ? 1 : 0;
    unsigned elsewhere = 0;
    for (unsigned step = 1; step <= options.readers; ++step) {
      const unsigned reader = (publisher + step) % options.hosts;
      share.subscriptions += reader == options.host ? 1 : 0;
      elsewhere += reader == publisher ? 0 : 1;
    }
    share.remote_readers = share.publishers != 0 ? elsewhere : 0;
    share.remote_writers = share.subscriptions != 0 && share.publishers == 0 ? 1 : 0;
    if (share.publishers + share.subscriptions != 0) {
      shares.emplace(fmt::format("/fleet/topic_{}", topic), share);
    }
  }
  return shares;
}

/// The signals that a process of ours waits for, blocked before any thread begins.
sigset_t take_signals(std::initializer_list<int> numbers) {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : numbers) {
    sigaddset(&signals, number);
  }
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

/// Whether none of them comes for so long.
bool is_wanted(const sigset_t& signals, std::int64_t rest_ns) {
  const timespec rest{rest_ns / 1'000'000'000, rest_ns % 1'000'000'000};
  return ::sigtimedwait(&signals, nullptr, &rest) < 0;
}

/// What exists of the shares, in proxies and in matches.
struct Progress {
  unsigned proxies = 0;
  unsigned matches = 0;
  unsigned needless = 0;  ///< matches beyond what there should be
};

Progress progress_of(edge::Edge& running, const std::map<std::string, Share>& shares) {
  Progress progress;
  for (const auto& topic : running.figures()) {
    const auto known = shares.find(topic.topic);
    if (known == shares.end()) {
      continue;
    }
    const auto readers = static_cast<unsigned>(topic.remote_readers);
    const auto writers = static_cast<unsigned>(topic.remote_writers);
    const Share& share = known->second;
    progress.proxies += static_cast<unsigned>(topic.publishers + topic.subscriptions);
    progress.matches +=
        std::min(readers, share.remote_readers) + std::min(writers, share.remote_writers);
    progress.needless += readers > share.remote_readers ? readers - share.remote_readers : 0;
    progress.needless += writers > share.remote_writers ? writers - share.remote_writers : 0;
  }
  return progress;
}

/// The edge's process: exit status 1 if it cannot start.
int run_edge(const Options& options) {
  const sigset_t signals = take_signals({SIGTERM, SIGINT});
  const auto shares = shares_of(options);
  Progress whole;
  for (const auto& [topic, share] : shares) {
    whole.proxies += share.publishers + share.subscriptions;
    whole.matches += share.remote_readers + share.remote_writers;
  }
  const std::int64_t began_ns = pool::monotonic_now_ns();
  auto running = edge::Edge::start(
      {.graph = options.graph, .run_id = "bench", .participant = {.domain = options.domain_id}});
  if (!running) {
    fmt::print(stderr, "ligament-bench-fleet: {}\n", running.error());
    return 1;
  }
  Progress now;
  do {
    const std::int64_t so_far_ns = pool::monotonic_now_ns() - began_ns;
    if (!is_wanted(signals, std::max(least_look_ns, so_far_ns / 50))) {
      fmt::print(stderr, "ligament-bench-fleet: host {}: {} of {} endpoints, {} of {} matches\n",
                 options.host, now.proxies, whole.proxies, now.matches, whole.matches);
      return 1;
    }
    now = progress_of(**running, shares);
  } while (now.proxies != whole.proxies || now.matches != whole.matches);
  const nlohmann::json line{{"event", "matched"},     {"at_ns", pool::monotonic_now_ns()},
                            {"pid", ::getpid()},      {"endpoints", now.proxies},
                            {"matches", now.matches}, {"needless", now.needless}};
  fmt::print("{}\nready\n", line.dump());
  std::fflush(stdout);
  int ended = 0;
  (void)::sigwait(&signals, &ended);
  return 0;
}

struct Graph {
  std::shared_ptr<pool::Domain> domain;
  std::unique_ptr<pool::Waiter> waiter;
  std::vector<std::unique_ptr<pool::Writer>> writers;
  std::vector<std::unique_ptr<pool::Reader>> readers;
};

pool::EndpointDescription described(const std::string& topic, std::size_t number) {
  pool::EndpointDescription description;
  description.topic = topic;
  description.type_name = "std_msgs/msg/String";
  description.node = fmt::format("/fleet/node_{}", number / 20);
  return description;
}

/// A sentence where the pool has no room for so many.
std::string populate(Graph& graph, const Options& options) {
  auto domain = pool::Domain::join({options.graph, "bench"});
  if (!domain) {
    return domain.error().text;
  }
  graph.domain = std::move(*domain);
  auto waiter = graph.domain->create_waiter();
  if (!waiter) {
    return waiter.error().text;
  }
  graph.waiter = std::move(*waiter);
  for (const auto& [topic, share] : shares_of(options)) {
    for (unsigned i = 0; i < share.publishers; ++i) {
      auto writer = graph.domain->create_writer(described(topic, graph.writers.size()));
      if (!writer) {
        return writer.error().text;
      }
      graph.writers.push_back(std::move(*writer));
    }
    for (unsigned i = 0; i < share.subscriptions; ++i) {
      const auto description = described(topic, graph.readers.size());
      auto reader = graph.domain->create_reader(description, *graph.waiter);
      if (!reader) {
        return reader.error().text;
      }
      graph.readers.push_back(std::move(*reader));
    }
  }
  return {};
}

/// In the child: this program again, as the edge, which ends with its host.
[[noreturn]] void become_edge(const Options& options, const char* program) {
  std::vector<std::string> words{program, "--edge", "--graph", options.graph};
  for (const auto& [flag, value] :
       {std::pair{"--hosts", options.hosts}, std::pair{"--host", options.host},
        std::pair{"--topics", options.topics}, std::pair{"--readers", options.readers},
        std::pair{"--domain-id", options.domain_id}}) {
    words.insert(words.end(), {flag, std::to_string(value)});
  }
  std::vector<char*> arguments;
  for (std::string& word : words) {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  (void)::prctl(PR_SET_PDEATHSIG, SIGTERM);
  ::execv("/proc/self/exe", arguments.data());
  ::_exit(127);
}

int run_host(const Options& options, const char* program) {
  Graph graph;
  if (const std::string error = populate(graph, options); !error.empty()) {
    fmt::print(stderr, "ligament-bench-fleet: {}\n", error);
    return 1;
  }
  const sigset_t signals = take_signals({SIGTERM, SIGINT, SIGCHLD});
  const pid_t child = ::fork();
  if (child < 0) {
    fmt::print(stderr, "ligament-bench-fleet: no process can be started: {}\n",
               std::strerror(errno));  // NOLINT(concurrency-mt-unsafe)
    return 1;
  }
  if (child == 0) {
    become_edge(options, program);
  }
  int came = 0;
  (void)::sigwait(&signals, &came);
  (void)::kill(child, SIGTERM);
  int status = 0;
  (void)::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"One host of the fleet that `ligament bench fleet` measures."};
  Options options;
  app.add_option("--hosts", options.hosts, "Hosts of the fleet")->check(CLI::Range(1, 1000));
  app.add_option("--host", options.host, "Which of them this is, from 0");
  app.add_option("--topics", options.topics, "Topics that each host publishes");
  app.add_option("--readers", options.readers, "Subscriptions of each topic, on the next hosts");
  app.add_option("--domain-id", options.domain_id, "DDS domain")->capture_default_str();
  app.add_option("--graph", options.graph, "Name of the pool's domain")->group("");
  app.add_flag("--edge", options.is_edge, "Be the edge's process")->group("");
  CLI11_PARSE(app, argc, argv);
  return options.is_edge ? run_edge(options) : run_host(options, argv[0]);
}
