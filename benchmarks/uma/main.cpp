// SPDX-License-Identifier: Apache-2.0
/// \file ligament-bench-uma: times a workload with and without ROS, in turns, and prints one JSON
/// object. `ligament bench uma` runs it.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <ligament/detail/pool.hpp>
#include <nlohmann/json.hpp>

#include "runs.hpp"

namespace uma {
namespace {

struct Options {
  Setup setup;
  std::string role = "measure";
  std::int64_t part_us = 4000;  ///< what a part of a step is calibrated to
  int runs = 30;
  int warm_up = 2;
};

std::int64_t shortest_of_three(const std::function<void()>& work) {
  std::int64_t shortest = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < 3; ++i) {
    const std::int64_t begin = ligament::pool::monotonic_now_ns();
    work();
    shortest = std::min(shortest, ligament::pool::monotonic_now_ns() - begin);
  }
  return std::max<std::int64_t>(shortest, 1);
}

/// Repeats that make a part as long as is wanted: its time grows evenly with them.
std::int64_t scaled(std::int64_t repeats, std::int64_t took_ns, std::int64_t part_us) {
  return std::max<std::int64_t>(1, repeats * part_us * 1000 / took_ns);
}

void calibrate_cpu(Options& options) {
  Size& size = options.setup.size;
  std::vector<std::uint32_t> one(size.words());
  std::vector<std::uint32_t> other(size.words());
  fill(other);
  const bool cache = options.setup.workload == Workload::cache;
  const std::int64_t repeats = cache ? 100'000 : 16;
  const std::int64_t took = shortest_of_three(
      [&] { cache ? work_on_one_address(one, repeats) : work_on_tile(other, one, repeats); });
  size.cpu_repeats = scaled(repeats, took, options.part_us);
}

void calibrate_gpu(Options& options) {
  Setup setup = options.setup;
  setup.steps = 1;
  setup.size.cpu_repeats = 1;
  const bool cache = setup.workload == Workload::cache;
  setup.size.gpu_repeats = cache ? 1 : 16;
  const auto native = without_ros(setup);
  (void)native->run();  // compiles
  const std::int64_t took = shortest_of_three([&] { (void)native->run(); });
  options.setup.size.gpu_repeats = scaled(setup.size.gpu_repeats, took, options.part_us);
}

std::string command_of(const std::string& role, const Options& options) {
  const Setup& setup = options.setup;
  const auto number = [](const char* name, std::int64_t value) {
    return std::string(" --") + name + " " + std::to_string(value);
  };
  return "env LIGAMENT_GPU_MODEL=" + setup.model + " /proc/" + std::to_string(::getpid()) +
         "/exe --role " + role + " --workload " +
         (setup.workload == Workload::cache ? "cache" : "concurrent") + " --way " +
         (setup.way == Way::copies ? "copies" : "shared_memory") + " --domain " + setup.domain +
         number("rows", setup.size.rows) + number("columns", setup.size.columns) +
         number("gpu-repeats", setup.size.gpu_repeats) +
         number("cpu-repeats", setup.size.cpu_repeats);
}

std::unique_ptr<Runner> with_nodes(const Options& options) {
  return options.setup.nodes == 2
             ? with_two_nodes(options.setup, command_of("gpu", options))
             : with_three_nodes(options.setup, command_of("cpu-worker", options),
                                command_of("gpu-worker", options));
}

nlohmann::json measure(Options options) {
  calibrate_cpu(options);
  calibrate_gpu(options);
  Setup& setup = options.setup;
  setup.domain = "uma-" + std::to_string(::getpid());
  const auto native = without_ros(setup);
  const auto nodes = with_nodes(options);
  std::vector<std::int64_t> without;
  std::vector<std::int64_t> with;
  Copies before{};
  for (int i = -options.warm_up; i < options.runs; ++i) {
    before = i == 0 ? nodes->copies() : before;
    // In turns, so that whatever changes on the machine meets both alike.
    const bool native_first = i % 2 == 0;
    const std::int64_t early = native_first ? native->run() : nodes->run();
    const std::int64_t late = native_first ? nodes->run() : native->run();
    if (i >= 0) {
      without.push_back(native_first ? early : late);
      with.push_back(native_first ? late : early);
    }
  }
  const auto messages = static_cast<std::uint64_t>(2 * setup.steps * options.runs);
  const std::uint64_t copies = nodes->copies().host - before.host;
  if (setup.way == Way::shared_memory ? copies != 0 : copies != messages) {
    give_up("the CPU node counted " + std::to_string(copies) + " copies of " +
            std::to_string(messages) + " messages");
  }
  return {{"native_ns", without},
          {"ros_ns", with},
          {"launch_ns", native->launch_times(500)},
          {"device", native->device()},
          {"bytes", setup.size.bytes()},
          {"steps", setup.steps},
          {"cpu_repeats", setup.size.cpu_repeats},
          {"gpu_repeats", setup.size.gpu_repeats},
          {"warm_up", options.warm_up},
          {"host_copies", copies},
          {"messages", messages}};
}

int main(int argc, char** argv) {
  Options options;
  Setup& setup = options.setup;
  CLI::App app("CPU and GPU parts of a workload, with and without ROS between them");
  const std::map<std::string, Workload> workloads{{"cache", Workload::cache},
                                                  {"concurrent", Workload::concurrent}};
  const std::map<std::string, Way> ways{{"shared_memory", Way::shared_memory},
                                        {"copies", Way::copies}};
  app.add_option("--workload", setup.workload)->transform(CLI::CheckedTransformer(workloads));
  app.add_option("--way", setup.way)->transform(CLI::CheckedTransformer(ways));
  app.add_option("--model", setup.model)->check(CLI::IsMember({"zero_copy", "standard_copy"}));
  app.add_option("--rows", setup.size.rows)->check(CLI::Range(1, 1 << 20));
  app.add_option("--columns", setup.size.columns)->check(CLI::Range(1, 1 << 20));
  app.add_option("--gpu-repeats", setup.size.gpu_repeats);
  app.add_option("--cpu-repeats", setup.size.cpu_repeats);
  app.add_option("--nodes", setup.nodes)->check(CLI::Range(2, 3));
  app.add_option("--steps", setup.steps)->check(CLI::Range(1, 1'000'000));
  app.add_option("--part-us", options.part_us)->check(CLI::Range(1, 10'000'000));
  app.add_option("--runs", options.runs)->check(CLI::Range(1, 10'000));
  app.add_option("--warm-up", options.warm_up)->check(CLI::Range(0, 1000));
  app.add_option("--role", options.role)
      ->check(CLI::IsMember({"measure", "gpu", "cpu-worker", "gpu-worker"}));
  app.add_option("--domain", setup.domain);
  CLI11_PARSE(app, argc, argv);
  if (setup.nodes == 3 && setup.way == Way::copies) {
    give_up("three nodes are measured in shared memory alone");
  }
  if (options.role != "measure") {
    return options.role == "gpu"          ? serve_gpu_node(setup)
           : options.role == "cpu-worker" ? serve_cpu_worker(setup)
                                          : serve_gpu_worker(setup);
  }
  std::cout << measure(options).dump() << std::endl;
  return 0;
}

}  // namespace
}  // namespace uma

int main(int argc, char** argv) { return uma::main(argc, argv); }
