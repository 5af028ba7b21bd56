// SPDX-License-Identifier: Apache-2.0
/// \file ligament-bench-uma: times a workload with and without ROS, alternately, and prints one
/// JSON object. `ligament bench uma` runs it.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <ligament/detail/pool.hpp>
#include <limits>
#include <nlohmann/json.hpp>
#include <thread>

#include "bandwidth.hpp"
#include "ends.hpp"
#include "processors.hpp"

namespace uma {
namespace {

struct Options {
  Setup setup;
  std::string role = "measure";
  std::string model = "zero_copy";
  std::int64_t step_us = 2500;  ///< what a step without ROS is calibrated to, at most
  int runs = 30;
  int warm_up = 2;
  int launches = 500;
  bool only_calibrates = false;

  /// cache: the CPU's and the GPU's part alternate. concurrent: at once.
  [[nodiscard]] std::int64_t part_ns() const {
    return step_us * 1000 / (setup.workload == Workload::cache ? 2 : 1);
  }
};

std::int64_t shortest_of_three(const std::function<void()>& work) {
  std::int64_t shortest = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < 3; ++i) {
    const std::int64_t begin = ligament::pool::monotonic_now_ns();
    work();
    shortest = std::min(shortest, ligament::pool::monotonic_now_ns() - begin);
  }
  return shortest;
}

/// Repeats that make a part as long as is wanted. Its time is a line over them, which does not
/// begin at 0: memory is fetched, and who waits is woken, once for all repeats. The line's second
/// point is far enough from the first for noise not to tilt it.
std::int64_t repeats_for(std::int64_t part_ns,
                         const std::function<void(std::int64_t repeats)>& work) {
  const std::int64_t one_ns = shortest_of_three([&] { work(1); });
  std::int64_t many = 4;
  std::int64_t more_ns = 0;
  while (more_ns < part_ns / 2) {
    many *= 4;
    more_ns = shortest_of_three([&] { work(many); }) - one_ns;
  }
  const double each_ns = static_cast<double>(more_ns) / static_cast<double>(many - 1);
  const double left_ns = static_cast<double>(std::max<std::int64_t>(part_ns - one_ns, 0));
  return 1 + static_cast<std::int64_t>(left_ns / each_ns);
}

/// What a part takes in the end.
std::int64_t calibrate_cpu(Options& options) {
  Size& size = options.setup.size;
  std::vector<std::uint32_t> one(size.words());
  std::vector<std::uint32_t> other(size.words());
  fill(other);
  const bool cache = options.setup.workload == Workload::cache;
  const auto work = [&](std::int64_t repeats) {
    cache ? work_on_one_address(one, repeats) : work_on_tile(other, one, repeats);
  };
  size.cpu_repeats = repeats_for(options.part_ns(), work);
  return shortest_of_three([&] { work(size.cpu_repeats); });
}

/// In `cache` the matrix is reduced several times, whatever is left of a step: so its paper says.
std::int64_t calibrate_gpu(Options& options) {
  Setup setup = options.setup;
  setup.steps = 1;
  setup.cpus = 1;
  setup.size.cpu_repeats = 1;
  std::map<std::int64_t, std::unique_ptr<Runner>> native;
  const auto work = [&](std::int64_t repeats) {
    auto& runner = native[repeats];
    if (runner == nullptr) {
      setup.size.gpu_repeats = repeats;
      runner = without_ros(setup);
      (void)runner->run();  // compiles
    }
    (void)runner->run();
  };
  const std::int64_t least = setup.workload == Workload::cache ? 2 : 1;
  const std::int64_t repeats = std::max(least, repeats_for(options.part_ns(), work));
  options.setup.size.gpu_repeats = repeats;
  work(repeats);
  return shortest_of_three([&] { work(repeats); });
}

nlohmann::json calibrate(Options options) {
  const std::int64_t cpu_ns = calibrate_cpu(options);
  const std::int64_t gpu_ns = calibrate_gpu(options);
  const Size& size = options.setup.size;
  return {{"cpu_repeats", size.cpu_repeats},
          {"gpu_repeats", size.gpu_repeats},
          {"cpu_part_ns", cpu_ns},
          {"gpu_part_ns", gpu_ns}};
}

const std::map<std::string, Workload> workloads{{"cache", Workload::cache},
                                                {"concurrent", Workload::concurrent}};
const std::map<std::string, Way> ways{{"shared", Way::shared},
                                      {"handed_over", Way::handed_over},
                                      {"topic", Way::topic},
                                      {"service", Way::service}};

template <typename Value>
std::string word_of(const std::map<std::string, Value>& words, Value value) {
  const auto found = std::find_if(words.begin(), words.end(),
                                  [value](const auto& word) { return word.second == value; });
  return found->first;
}

Commands commands_of(const Options& options) {
  const Setup& setup = options.setup;
  std::string text = "/proc/" + std::to_string(::getpid()) + "/exe";
  const auto add = [&text](const char* name, const std::string& value) {
    text += std::string(" --") + name + " " + value;
  };
  add("workload", word_of(workloads, setup.workload));
  add("way", word_of(ways, setup.way));
  add("model", options.model);
  add("domain", setup.domain);
  add("dds-domain", std::to_string(setup.dds_domain));
  add("cpus", std::to_string(setup.cpus));
  add("gpus", std::to_string(setup.gpus));
  add("rows", std::to_string(setup.size.rows));
  add("columns", std::to_string(setup.size.columns));
  add("cpu-repeats", std::to_string(setup.size.cpu_repeats));
  add("gpu-repeats", std::to_string(setup.size.gpu_repeats));
  text += setup.has_scheduler ? " --scheduler" : "";
  text += setup.over_dds ? " --dds" : "";
  text += setup.is_pinned ? " --pinned" : "";
  return {text};
}

std::unique_ptr<Runner> with_nodes(const Options& options) {
  const Commands commands = commands_of(options);
  const Setup& setup = options.setup;
  if (setup.way == Way::service) {
    return with_services(setup, commands);
  }
  return setup.has_scheduler ? with_workers(setup, commands) : with_two_nodes(setup, commands);
}

/// Payloads made in so many exchanges: one per worker; by services the request too.
std::uint64_t messages_of(const Setup& setup, std::uint64_t exchanges) {
  const bool both_ways = setup.way == Way::service && setup.has_scheduler;
  return exchanges * setup.workers() * (both_ways ? 2 : 1);
}

/// Payloads written to a device and read back: one each way per launch. Without services, tiles of
/// the very first step are filled, not made from others'.
std::uint64_t device_copies_of(const Setup& setup, std::uint64_t exchanges) {
  if (setup.model == gpu::Model::zero_copy) {
    return 0;
  }
  const bool fills =
      setup.workload == Workload::concurrent && setup.has_scheduler && setup.way != Way::service;
  return 2 * setup.gpus * (exchanges - (fills ? 1 : 0));
}

/// What a combination must have copied, to the number. A worker that is slow may pass over parts
/// that it does not need; nobody may have lost what he was to copy.
bool are_right(const Setup& setup, const Copies& found, std::uint64_t exchanges) {
  const bool copies_at_ends = setup.way == Way::topic || setup.way == Way::service;
  const std::uint64_t in_place = found.came - found.in;
  const bool host = copies_at_ends                  ? found.out == found.messages && in_place == 0
                    : setup.way == Way::handed_over ? found.out == 0 && in_place == found.messages
                                                    : found.out == 0 && found.in == 0;
  const bool has_more_takers = setup.has_scheduler && setup.way != Way::service;
  const std::uint64_t takers = has_more_takers ? setup.workers() : 1;
  return host && found.messages == messages_of(setup, exchanges) && found.came >= found.messages &&
         found.came <= takers * found.messages &&
         found.device == device_copies_of(setup, exchanges);
}

/// Some of the last messages may still be on their way to nodes that no longer wait for them.
Copies settled_copies(const Setup& setup, Runner& nodes, std::uint64_t exchanges) {
  Copies found = nodes.copies();
  for (int look = 0; look < 1000 && !are_right(setup, found, exchanges); ++look) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    found = nodes.copies();
  }
  if (!are_right(setup, found, exchanges)) {
    give_up("in " + std::to_string(exchanges) + " exchanges, of " + std::to_string(found.messages) +
            " messages " + std::to_string(found.out) + " were copied where they were made; of " +
            std::to_string(found.came) + " taken, " + std::to_string(found.in) + "; and " +
            std::to_string(found.device) + " for the device: another number than this way has");
  }
  return found;
}

/// Only where there is a card to copy to.
void add_bandwidth(nlohmann::json& found, const Options& options) {
  const auto settings = gpu::settings_from_environment();
  const auto measured = settings
                            ? bandwidth_of(*settings, options.setup.size.bytes(), options.launches)
                            : std::nullopt;
  if (measured) {
    found["copy_in_ns"] = measured->ours.in;
    found["copy_out_ns"] = measured->ours.out;
    found["pinned_in_ns"] = measured->pinned.in;
    found["pinned_out_ns"] = measured->pinned.out;
  }
}

nlohmann::json measure(Options options) {
  Setup& setup = options.setup;
  setup.domain = "uma-" + std::to_string(::getpid());
  const auto native = without_ros(setup);
  const auto nodes = with_nodes(options);
  std::vector<std::int64_t> without;
  std::vector<std::int64_t> with;
  for (int i = -options.warm_up; i < options.runs; ++i) {
    // Alternately, so that whatever changes on the machine meets both alike.
    const bool native_first = i % 2 == 0;
    const std::int64_t early = native_first ? native->run() : nodes->run();
    const std::int64_t late = native_first ? nodes->run() : native->run();
    if (i >= 0) {
      without.push_back(native_first ? early : late);
      with.push_back(native_first ? late : early);
    }
  }
  const auto exchanges = static_cast<std::uint64_t>(options.runs + options.warm_up) *
                         static_cast<std::uint64_t>(setup.steps);
  const Copies copies = settled_copies(setup, *nodes, exchanges);
  const LaunchTimes launches = native->launch_times(options.launches);
  nlohmann::json found = {{"native_ns", without},
                          {"ros_ns", with},
                          {"launch_ns", launches.all_ns},
                          {"launch_own_ns", launches.own_ns},
                          {"device", native->device()},
                          {"bytes", setup.size.bytes()},
                          {"rows", setup.size.rows},
                          {"columns", setup.size.columns},
                          {"steps", setup.steps},
                          {"cpu_repeats", setup.size.cpu_repeats},
                          {"gpu_repeats", setup.size.gpu_repeats},
                          {"warm_up", options.warm_up},
                          {"messages", copies.messages},
                          {"copied_out", copies.out},
                          {"taken", copies.came},
                          {"copied_in", copies.in},
                          {"device_copies", copies.device},
                          {"device_bytes", copies.device_bytes},
                          {"imported", copies.imported},
                          {"import_ns", copies.import_ns}};
  add_bandwidth(found, options);
  return found;
}

/// Combinations that cannot be, with the reason; empty: it can.
std::string impossible(const Setup& setup) {
  if (setup.way == Way::handed_over && setup.over_dds) {
    return "ROS-ZC hands a place in memory over: it stays within one process";
  }
  if (setup.way == Way::handed_over && setup.has_scheduler &&
      setup.model == gpu::Model::zero_copy) {
    return "ROS-ZC with several takers of a message copies it for all but one, at another address "
           "each time: there is nothing that stays for a device to be given (ZC)";
  }
  if (!setup.has_scheduler && (setup.cpus != 1 || setup.gpus != 1)) {
    return "without a scheduler there are two nodes";
  }
  return "";
}

void add_options(CLI::App& app, Options& options) {
  Setup& setup = options.setup;
  app.add_option("--workload", setup.workload)->transform(CLI::CheckedTransformer(workloads));
  app.add_option("--way", setup.way)->transform(CLI::CheckedTransformer(ways));
  app.add_flag("--dds", setup.over_dds);
  app.add_flag("--pinned", setup.is_pinned);
  app.add_option("--dds-domain", setup.dds_domain)->check(CLI::Range(0, 232));
  app.add_option("--model", options.model)
      ->check(CLI::IsMember({"zero_copy", "standard_copy", "unified_memory"}));
  app.add_option("--rows", setup.size.rows)->check(CLI::Range(1, 1 << 20));
  app.add_option("--columns", setup.size.columns)->check(CLI::Range(1, 1 << 20));
  app.add_option("--gpu-repeats", setup.size.gpu_repeats)->check(CLI::PositiveNumber);
  app.add_option("--cpu-repeats", setup.size.cpu_repeats)->check(CLI::PositiveNumber);
  app.add_flag("--calibrate", options.only_calibrates);
  app.add_option("--cpus", setup.cpus)->check(CLI::Range(1, 16));
  app.add_option("--gpus", setup.gpus)->check(CLI::Range(1, 16));
  app.add_flag("--scheduler", setup.has_scheduler);
  app.add_option("--steps", setup.steps)->check(CLI::Range(1, 1'000'000));
  app.add_option("--step-us", options.step_us)->check(CLI::Range(1, 10'000'000));
  app.add_option("--runs", options.runs)->check(CLI::Range(1, 10'000));
  app.add_option("--warm-up", options.warm_up)->check(CLI::Range(0, 1000));
  app.add_option("--launches", options.launches)->check(CLI::Range(1, 100'000));
  app.add_option("--role", options.role);
  app.add_option("--domain", setup.domain);
}

int main(int argc, char** argv) {
  Options options;
  CLI::App app("CPU and GPU parts of a workload, with and without ROS between them");
  add_options(app, options);
  CLI11_PARSE(app, argc, argv);
  // PoCL gives each GPU node one core: a process each, or all of them this one.
  const bool measures = options.role == "measure";
  ::setenv("POCL_MAX_PTHREAD_COUNT", std::to_string(measures ? options.setup.gpus : 1).c_str(), 1);
  // For all nodes with kernels, here and in other processes.
  ::setenv("LIGAMENT_GPU_MODEL", options.model.c_str(), 1);
  const auto settings = gpu::settings_from_environment();
  if (!settings) {
    give_up(settings.error().text);
  }
  options.setup.model = settings->model;
  if (const std::string why = impossible(options.setup); !why.empty()) {
    give_up(why);
  }
  if (!measures) {
    return serve_role(options.setup, options.role);
  }
  const auto found = options.only_calibrates ? calibrate(options) : measure(options);
  std::cout << found.dump() << std::endl;
  return 0;
}

}  // namespace

MakeNode maker_of(const Setup& setup, const std::string& role) {
  const auto colon = role.find(':');
  const std::string kind = role.substr(0, colon);
  const auto number = colon == std::string::npos
                          ? 0
                          : static_cast<std::uint32_t>(std::stoul(role.substr(colon + 1)));
  return [setup, kind, number](const Place& place) {
    // The node's thread, and what its driver starts; not those of the place, as the middleware's.
    stay_with(setup, {kind == "gpu" ? setup.cpus : number});
    return kind == "gpu"      ? make_gpu_node(setup, place)
           : kind == "worker" ? make_worker(setup, number, place)
                              : make_server(setup, number, place);
  };
}

}  // namespace uma

int main(int argc, char** argv) { return uma::main(argc, argv); }
