// SPDX-License-Identifier: Apache-2.0
/// \file ligament-container: runs the nodes of one CONTAINER.json in this process.
#include <CLI/CLI.hpp>

#include "container/container.hpp"

int main(int argc, char** argv) {
  using namespace ligament::container;
  CLI::App app{"Runs the nodes of one container configuration until SIGINT or SIGTERM."};
  Arguments arguments;
  std::string class_to_find;
  app.add_option("CONTAINER.json", arguments.config,
                 "the configuration (spec/run/container.md); with --has-class, a library")
      ->required();
  app.add_option("--status-fd", arguments.status_descriptor,
                 "open descriptor to which status lines are written")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--trace", arguments.trace,
                 "record events; providers: ligament, or ros2 beside it");
  app.add_flag("--ros-tools", arguments.ros_tools,
               "give each node what ROS 2's tools ask for: parameter services, /parameter_events, "
               "/rosout");
  app.add_option("--control-fd", arguments.control_descriptor,
                 "socket on which a node may be asked to move away (spec/run/moving.md)")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--take-over-fd", arguments.take_over_descriptor,
                 "socket to a container; this one's node takes the place of the one there")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--has-class", class_to_find,
                 "run nothing: exit 0 if the library registers this class");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : exit_bad_configuration;
  }
  return class_to_find.empty() ? run_container(arguments)
                               : check_class(arguments.config, class_to_find);
}
