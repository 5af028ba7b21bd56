// SPDX-License-Identifier: Apache-2.0
/// ligament-bench-agent: prints one measurement of the agent as a line of JSON.
///
///   ligament-bench-agent drain --samples 4 --bytes 64 --passes 50
///   ligament-bench-agent latency --passes 1000
#include <CLI/CLI.hpp>
#include <cstdio>

#include "bench.hpp"

int main(int argc, char** argv) {
  using namespace ligament::bench;
  CLI::App app{"Measures the agent of microcontrollers."};
  Settings settings;
  app.fallthrough();
  app.require_subcommand(1);
  auto* const drain = app.add_subcommand("drain", "Datagrams from a full socket into the pool");
  app.add_subcommand("latency", "From a board to a reader of this host");
  app.add_option("--samples", settings.samples, "In each datagram")->check(CLI::Range(1, 100));
  app.add_option("--bytes", settings.bytes, "Of each sample")->check(CLI::Range(8, 1000));
  app.add_option("--passes", settings.passes)->check(CLI::Range(1, 1'000'000));
  app.add_option("--spin", settings.spin_us, "Of the agent, in microseconds")
      ->check(CLI::Range(0, 1'000'000));
  app.add_option("--ros", settings.domain)->check(CLI::Range(0, 232));
  CLI11_PARSE(app, argc, argv);
  try {
    const auto result = drain->parsed() ? measure_drain(settings) : measure_latency(settings);
    std::printf("%s\n", result.dump().c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ligament-bench-agent: %s\n", error.what());
    return 1;
  }
  return 0;
}
