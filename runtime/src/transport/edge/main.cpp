// SPDX-License-Identifier: Apache-2.0
/// ligament-edge: the edge of one graph on this host, as a process of its own.
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <ligament/detail/edge_name.hpp>

#include "container/status_channel.hpp"
#include "memory/os/socket.hpp"
#include "transport/edge/edge.hpp"
#include "transport/edge/status.hpp"

namespace {

namespace pool_os = ligament::pool::os;

struct Arguments {
  ligament::edge::Options options;
  bool humble = false;
  bool attends = false;
  int status_fd = -1;
};

enum class Turn : std::uint8_t { ours, taken, ended };

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
  app.add_flag("--attend", arguments.attends,
               "Of all edges with this option one serves a graph at a time: without --status-fd it "
               "ends where there is one, and when nobody else is left; with it, it waits for its "
               "turn");
  app.add_option("--status-fd", arguments.status_fd, "Where status lines go; for the tool");
}

/// SIGINT and SIGTERM, which are blocked before any thread begins, so that only we take them.
sigset_t end_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

/// A name that one process of the user has at a time, that the kernel frees with it, and to which
/// others may connect to learn whether somebody has it.
bool take_name(const pool_os::Fd& socket, const std::string& graph) {
  const std::string name = ligament::detail::edge_socket_name(graph);
  return pool_os::bind_name(socket, name).has_value() &&
         pool_os::start_listening(socket, 1).has_value();
}

/// Whose turn it is to serve the graph.
Turn await_turn(const pool_os::Fd& socket, const Arguments& arguments,
                ligament::container::StatusChannel& channel, const sigset_t& signals) {
  const timespec pause{0, 100'000'000};
  for (bool is_told = false; !take_name(socket, arguments.options.graph); is_told = true) {
    if (arguments.status_fd < 0) {
      return Turn::taken;
    }
    if (!is_told) {  // a graph does not wait for its edge
      channel.send({{"event", "ready"}, {"pid", ::getpid()}});
      fmt::print("ligament-edge: another edge serves '{}'; this one waits for its end\n",
                 arguments.options.graph);
      std::fflush(stdout);
    }
    if (sigtimedwait(&signals, nullptr, &pause) >= 0) {
      return Turn::ended;
    }
  }
  return Turn::ours;
}

/// Tells the tool once a second how it goes, until the end is asked for, or the tool is gone.
void serve(ligament::edge::Edge& edge, ligament::container::StatusChannel& channel,
           const sigset_t& signals, bool ends_alone) {
  channel.send({{"event", "ready"}, {"pid", ::getpid()}});
  ligament::edge::StatusWriter status(channel, edge);
  const timespec second{1, 0};
  while (sigtimedwait(&signals, nullptr, &second) < 0 && (!ends_alone || edge.has_company())) {
    status.write();
  }
  status.write();
  channel.send({{"event", "stopped"}});
}

/// Without a tool that reads status lines: what passed and what did not, for people.
void print_summary(ligament::edge::Edge& edge) {
  for (const auto& topic : edge.figures()) {
    fmt::print(
        "{}: sent {}, lost {}, refused {}, unconfirmed {}; received {}, missing {}, repeated {}, "
        "no room {}\n",
        topic.topic, topic.out.sent, topic.out.lost, topic.out.refused, topic.out.unconfirmed,
        topic.in.received, topic.in.missing, topic.in.repeated, topic.in.no_room);
  }
  for (const std::string& problem : edge.problems()) {
    fmt::print(stderr, "ligament-edge: {}\n", problem);
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "Gives a running graph its proxy endpoint in DDS: ROS 2 nodes and tools on the network see "
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
  const sigset_t signals = end_signals();
  std::signal(SIGPIPE, SIG_IGN);
  ligament::container::StatusChannel channel(arguments.status_fd);
  const auto name = pool_os::open_listener();
  if (arguments.attends && name) {
    const Turn turn = await_turn(*name, arguments, channel, signals);
    if (turn != Turn::ours) {
      return 0;
    }
  }
  auto edge = ligament::edge::Edge::start(arguments.options);
  if (!edge) {
    fmt::print(stderr, "ligament-edge: {}\n", edge.error());
    channel.send_error("", edge.error());
    return 1;
  }
  fmt::print("ligament-edge: graph '{}' is on DDS domain {}\n", arguments.options.graph,
             arguments.options.participant.domain);
  std::fflush(stdout);
  serve(**edge, channel, signals, arguments.attends && arguments.status_fd < 0);
  if (!channel.is_open()) {
    print_summary(**edge);
  }
  return 0;
}
