// SPDX-License-Identifier: Apache-2.0
/// \file One run of a workload, without ROS and with it. Both give the time of all steps, and stop
/// the program where an exchange gave a wrong result.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/part.hpp"
#include "workload.hpp"

namespace uma {

/// How messages cross: in shared memory in place (ROS-SHM-ZC), handed over within a process
/// (ROS-ZC), or copied at each end by topics or services (ROS-SC).
enum class Way : std::uint8_t { shared, handed_over, topic, service };

struct Setup {
  Workload workload = Workload::cache;
  Size size;
  std::int64_t steps = 100;
  Way way = Way::shared;
  bool over_dds = false;  ///< each node has a pool and an edge of its own: ROS's middleware
  ligament::gpu::Model model = ligament::gpu::Model::zero_copy;
  std::uint32_t cpus = 1;
  std::uint32_t gpus = 1;
  bool has_scheduler = false;  ///< else there is one CPU node, which does its work
  bool is_pinned = false;      ///< each worker's thread stays on a processor; see processors.hpp
  std::string domain;
  std::uint32_t dds_domain = 87;

  [[nodiscard]] std::uint32_t workers() const { return cpus + gpus; }
  [[nodiscard]] ligament::nodes::parallel::Plan plan() const {
    return workload == Workload::cache ? ligament::nodes::parallel::Plan{{cpus, gpus}}
                                       : ligament::nodes::parallel::Plan{{workers()}};
  }
  /// Messages of a publisher that may be in flight. cache: all are through before the next is made.
  /// concurrent: what the first answer allows is sent while the second is worked on.
  [[nodiscard]] std::uint32_t history() const { return workload == Workload::cache ? 1 : 2; }
  /// concurrent: whose last tile a worker's new one is made from.
  [[nodiscard]] std::uint32_t before(std::uint32_t worker) const {
    return (worker + workers() - 1) % workers();
  }
  /// cache: whose matrix a GPU's worker reduces.
  [[nodiscard]] std::uint32_t matrix_of(std::uint32_t worker) const {
    return (worker - cpus) % cpus;
  }
  [[nodiscard]] std::int64_t repeats_of(std::uint32_t worker) const {
    return worker < cpus ? size.cpu_repeats : size.gpu_repeats;
  }
};

/// concurrent: what a word that is `word` in every tile at first is in each worker's tile after a
/// run's steps.
[[nodiscard]] std::vector<std::uint32_t> ring_after(const Setup& setup, std::uint32_t word);

/// Of all nodes, since the first step.
struct Copies {
  std::uint64_t messages = 0;  ///< payloads made
  std::uint64_t out = 0;       ///< of these, copied (serialised) where they were made
  std::uint64_t came = 0;      ///< payloads taken, by each of their takers
  std::uint64_t in = 0;        ///< of these, copied (deserialised) by their taker
  std::uint64_t device = 0;    ///< payloads written to a device and read back
  std::uint64_t device_bytes = 0;
  std::uint64_t imported = 0;   ///< pieces of memory made known to a device, at their first use
  std::uint64_t import_ns = 0;  ///< time that this took

  /// All of the above, as a node's process tells them.
  static constexpr std::size_t count = 8;
  [[nodiscard]] std::array<std::uint64_t*, count> all() {
    return {&messages, &out, &came, &in, &device, &device_bytes, &imported, &import_ns};
  }
  Copies& operator+=(const Copies& other);
  [[nodiscard]] bool operator==(const Copies&) const = default;
};

struct LaunchTimes {
  std::vector<std::int64_t> all_ns;
  std::vector<std::int64_t> own_ns;  ///< without the calls of OpenCL's driver
};

class Runner {
 public:
  virtual ~Runner() = default;
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;
  /// Nanoseconds of one run.
  [[nodiscard]] virtual std::int64_t run() = 0;
  [[nodiscard]] virtual Copies copies() = 0;
  /// Name of the device that this process uses; empty: none.
  [[nodiscard]] virtual std::string device() const { return {}; }
  /// How long each of `count` launches kept its caller, the device idle.
  [[nodiscard]] virtual LaunchTimes launch_times(int /*count*/) { return {}; }

 protected:
  Runner() = default;
};

/// The command of a process that serves `role`, or empty where all nodes are threads of this one.
struct Commands {
  std::string program;  ///< and all options but the role
  [[nodiscard]] std::string of(const std::string& role) const {
    return program + " --role " + role;
  }
};

/// All parts in this process, synchronised by threads and the devices' queues alone.
[[nodiscard]] std::unique_ptr<Runner> without_ros(const Setup& setup);
/// A CPU node in this process, which does the scheduler's work, and a GPU node; by topics.
[[nodiscard]] std::unique_ptr<Runner> with_two_nodes(const Setup& setup, const Commands& commands);
/// A scheduler in this process, CPU and GPU nodes in others; by topics.
[[nodiscard]] std::unique_ptr<Runner> with_workers(const Setup& setup, const Commands& commands);
/// Either, by services.
[[nodiscard]] std::unique_ptr<Runner> with_services(const Setup& setup, const Commands& commands);

/// The process of a role: `gpu`, `worker:N`, `server:N`. Returns its exit status when its standard
/// input ends.
[[nodiscard]] int serve_role(const Setup& setup, const std::string& role);

/// Says why, and ends the program.
[[noreturn]] void give_up(const std::string& why);

}  // namespace uma
