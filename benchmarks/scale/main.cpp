// SPDX-License-Identifier: Apache-2.0
/// \file ligament-bench-scale: one node of a large graph, as its conductor wants it. The conductor
/// is `ligament bench scale`; README.md says what is measured.
///
///   ligament-bench-scale --domain big --index 3 --nodes 200 --topics 5
///
/// Prints one JSON object per line: `matched` once all ends are, then an answer per order. Orders
/// on standard input, one per line:
///   orders LOAD_HZ PROBE_PERIOD_US PROBES_TO_SEND PROBES_TO_TAKE
/// It ends when standard input does, so none outlives its conductor.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <iostream>
#include <sstream>
#include <thread>

#include "node.hpp"

namespace {

constexpr auto look_again = std::chrono::milliseconds(20);

bool parse(const std::string& line, bench::Orders& orders) {
  std::istringstream words(line);
  std::string verb;
  std::int64_t period_us = 0;
  words >> verb >> orders.load_hz >> period_us >> orders.probes_to_send >> orders.probes_to_take;
  orders.probe_period_ns = period_us * 1000;
  return verb == "orders" && !words.fail();
}

/// Reads orders until the conductor is gone.
void listen(bench::Node& node) {
  for (std::string line; std::getline(std::cin, line);) {
    bench::Orders orders;
    if (parse(line, orders)) {
      node.obey(orders);
    } else {
      std::cerr << "ligament-bench-scale: unknown order '" << line << "'\n";
    }
  }
  node.stop();
}

void tell(const char* event, std::int64_t started_ns) {
  const nlohmann::json line{{"event", event},
                            {"at_ns", ligament::pool::monotonic_now_ns()},
                            {"started_ns", started_ns},
                            {"pid", ::getpid()}};
  std::cout << line.dump() << std::endl;
}

}  // namespace

int main(int argc, char** argv) {
  const std::int64_t started_ns = ligament::pool::monotonic_now_ns();
  bench::NodeOptions options;
  CLI::App app("one node of the graph that `ligament bench scale` measures");
  app.add_option("--domain", options.domain, "graph name")->required();
  app.add_option("--index", options.index, "which node this is")->required();
  app.add_option("--nodes", options.nodes, "how many there are")->check(CLI::Range(2, 512));
  app.add_option("--topics", options.topics, "published, and subscribed to, by each node");
  app.add_option("--bytes", options.bytes, "payload, declared as its bound");
  app.add_option("--depth", options.depth, "keep-last depth");
  CLI11_PARSE(app, argc, argv);

  bench::Node node(options);
  if (const std::string error = node.start(); !error.empty()) {
    std::cerr << "ligament-bench-scale: " << error << "\n";
    return 1;
  }
  tell("created", started_ns);
  std::thread ears([&node] { listen(node); });
  // Nothing tells of a match but the counts; few looks, since 200 processes look.
  while (!node.is_matched() && !node.is_stopped()) {
    std::this_thread::sleep_for(look_again);
  }
  tell("matched", started_ns);
  node.run();
  ears.join();
  return 0;
}
