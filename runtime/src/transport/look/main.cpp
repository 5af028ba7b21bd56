// SPDX-License-Identifier: Apache-2.0
/// ligament-look: what runs in a ROS domain, as one line of JSON. `ligament graph --live` and
/// `ligament import` start it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "transport/look/look.hpp"

int main(int argc, char** argv) {
  CLI::App app{"Says what runs in a ROS domain, on whatever middleware: as JSON, for the tool."};
  ligament::look::Options options;
  app.add_option("--domain-id", options.domain_id, "DDS domain, as ROS 2 counts them")
      ->check(CLI::Range(0, 232))
      ->capture_default_str();
  app.add_option("--quiet", options.quiet_s, "Seconds without anything new that are enough")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--most", options.most_s, "Seconds after which it ends in any case")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  const auto seen = ligament::look::look(options);
  if (!seen) {
    fmt::print(stderr, "ligament-look: {}\n", seen.error());
    return 1;
  }
  using nlohmann::json;
  fmt::print("{}\n", seen->dump(-1, ' ', false, json::error_handler_t::replace));
  return 0;
}
