// SPDX-License-Identifier: Apache-2.0
/// \file One run of a workload, without ROS and with it. Both give the time of all steps, and stop
/// the program where an exchange gave a wrong result.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "workload.hpp"

namespace uma {

/// How messages cross: in shared memory in place, or as structs that are serialised and
/// deserialised.
enum class Way : std::uint8_t { shared_memory, copies };

struct Setup {
  Workload workload = Workload::cache;
  Size size;
  std::int64_t steps = 100;
  Way way = Way::shared_memory;
  std::string model = "zero_copy";
  int nodes = 2;
  std::string domain;
};

struct Copies {
  std::uint64_t host = 0;    ///< payloads serialised and deserialised
  std::uint64_t device = 0;  ///< payloads written to the device and read back
};

class Runner {
 public:
  virtual ~Runner() = default;
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;
  /// Nanoseconds of one run.
  [[nodiscard]] virtual std::int64_t run() = 0;
  /// Of all runs so far.
  [[nodiscard]] virtual Copies copies() const = 0;
  /// Name of the device that this process uses; empty: none.
  [[nodiscard]] virtual std::string device() const { return {}; }
  /// How long each of `count` launches kept its caller, the device idle; in ns.
  [[nodiscard]] virtual std::vector<std::int64_t> launch_times(int /*count*/) { return {}; }

 protected:
  Runner() = default;
};

/// Both parts in this process, synchronised by the device's queue alone.
[[nodiscard]] std::unique_ptr<Runner> without_ros(const Setup& setup);
/// A CPU node in this process and a GPU node in another (`gpu_command`), which exchange messages.
[[nodiscard]] std::unique_ptr<Runner> with_two_nodes(const Setup& setup,
                                                     const std::string& gpu_command);
/// A scheduler in this process, a CPU and a GPU node in others; `ROS-SHM-ZC` alone.
[[nodiscard]] std::unique_ptr<Runner> with_three_nodes(const Setup& setup,
                                                       const std::string& cpu_command,
                                                       const std::string& gpu_command);
/// Their processes, as serve_gpu_node().
[[nodiscard]] int serve_cpu_worker(const Setup& setup);
[[nodiscard]] int serve_gpu_worker(const Setup& setup);
/// The GPU node's process. Returns its exit status when its standard input ends.
[[nodiscard]] int serve_gpu_node(const Setup& setup);

/// Says why, and ends the program.
[[noreturn]] void give_up(const std::string& why);

}  // namespace uma
