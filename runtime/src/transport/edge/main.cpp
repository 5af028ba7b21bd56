// SPDX-License-Identifier: Apache-2.0
/// ligament-edge: the edge of one graph on this host, as a process of its own.
#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>

#include "transport/edge/edge.hpp"

namespace {

struct Arguments {
  ligament::edge::Options options;
  bool humble = false;
};

void declare(CLI::App& app, Arguments& arguments) {
  app.add_option("--graph", arguments.options.graph, "Name of the running graph")->required();
  app.add_option("--run-id", arguments.options.run_id, "Id of the run to join")->required();
  app.add_option("--domain-id", arguments.options.participant.domain,
                 "DDS domain, as ROS 2 counts them")
      ->envname("ROS_DOMAIN_ID")
      ->check(CLI::Range(0, 232))
      ->capture_default_str();
  app.add_flag("--humble", arguments.humble,
               "Write graph messages in the form of ROS 2 Humble (24-byte gids)");
}

/// Waits for SIGINT or SIGTERM, which were blocked before any thread began.
void wait_for_end(const sigset_t& signals) {
  int which = 0;
  (void)sigwait(&signals, &which);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "Gives a running graph its face in DDS: ROS 2 nodes and tools on the network see "
      "its nodes and exchange messages with them."};
  Arguments arguments;
  declare(app, arguments);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (arguments.humble) {
    arguments.options.gid_form = ligament::edge::GidForm::humble;
  }
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  auto edge = ligament::edge::Edge::start(arguments.options);
  if (!edge) {
    std::fprintf(stderr, "ligament-edge: %s\n", edge.error().c_str());
    return 1;
  }
  std::printf("ligament-edge: graph '%s' is on DDS domain %u\n", arguments.options.graph.c_str(),
              arguments.options.participant.domain);
  std::fflush(stdout);
  wait_for_end(signals);
  for (const auto& topic : (*edge)->figures()) {
    std::printf("%s: sent %lu, lost %lu, refused %lu; received %lu, repeated %lu, no room %lu\n",
                topic.topic.c_str(), topic.out.sent, topic.out.lost, topic.out.refused,
                topic.in.received, topic.in.repeated, topic.in.no_room);
  }
  for (const std::string& problem : (*edge)->problems()) {
    std::fprintf(stderr, "ligament-edge: %s\n", problem.c_str());
  }
  return 0;
}
