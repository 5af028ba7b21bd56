// SPDX-License-Identifier: Apache-2.0
/// \file ligament-lifecycle: brings the lifecycle nodes of a running graph up. `ligament run`
/// starts it; it tells how it goes in lines of JSON on its standard output:
/// `{"node": ..., "state": ...}` after each step, and `{"node": ..., "error": ...}`.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <ligament/context.hpp>
#include <nlohmann/json.hpp>

#include "lifecycle/bring_up.hpp"

namespace {

using namespace ligament;

struct Arguments {
  std::string domain;
  std::string run_id;
  double patience_s = 30;
  std::vector<std::string> nodes;
};

void tell(const nlohmann::json& line) {
  fmt::print("{}\n", line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  std::fflush(stdout);
}

int bring_up(const Arguments& arguments) {
  const auto context = Context::create({.domain = arguments.domain, .run_id = arguments.run_id});
  if (!context) {
    tell({{"node", ""}, {"error", context.error().text}});
    return 1;
  }
  // Hidden from `ros2 node list`, as its name begins with an underscore.
  const auto asker = std::make_shared<Node>("_lifecycle", NodeOptions().context(*context));
  lifecycle::BringUpRequest request;
  request.nodes = arguments.nodes;
  request.patience =
      std::chrono::nanoseconds(static_cast<std::int64_t>(arguments.patience_s * 1e9));
  request.told = [](const std::string& node, const std::string& state) {
    tell({{"node", node}, {"state", state}});
  };
  if (const auto up = lifecycle::bring_up(asker, request); !up) {
    tell({{"node", up.error().node}, {"error", up.error().text}});
    return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Configures and activates lifecycle nodes, in the order in which they are named."};
  Arguments arguments;
  app.add_option("NODE", arguments.nodes, "Fully qualified names, such as /camera")->required();
  app.add_option("--domain", arguments.domain, "The graph's pool domain; else LIGAMENT_DOMAIN");
  app.add_option("--run-id", arguments.run_id, "The run that the graph is; else LIGAMENT_RUN_ID");
  app.add_option("--patience", arguments.patience_s, "Seconds for each step of each node")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return bring_up(arguments);
}
