// SPDX-License-Identifier: Apache-2.0
/// \file What every back-end does with launches before a driver sees them, and counts of them.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <ligament/gpu.hpp>
#include <vector>

namespace ligament::gpu {

/// That there is such a kernel, with so many arguments.
[[nodiscard]] Result<void> check_launch(const Launch& launch,
                                        std::span<const KernelDescription> kernels);
/// Whether its index space is empty.
[[nodiscard]] bool launches_nothing(const Launch& launch);
/// That they may be copied with a launch.
[[nodiscard]] Result<void> check_values(const Values& values);

/// Which content a kept buffer has.
using GenerationOf = std::function<std::uint64_t(const Kept&)>;

/// What kernels for changes alone were given when they were last launched. One thread, but for
/// distrust().
class LastArguments {
 public:
  /// Before the launches of a submit.
  void begin(std::size_t kernels);
  /// Notes what the launch is given; true: that is another than the last time.
  [[nodiscard]] Result<bool> note(const Launch& launch, const GenerationOf& generation_of);
  void forget(std::uint32_t kernel) { last_[kernel].clear(); }
  /// Something failed: none of it may be relied on in the next submit.
  void distrust() { is_stale_ = true; }

 private:
  std::vector<std::vector<std::byte>> last_;  ///< by kernel
  std::atomic<bool> is_stale_{false};
};

/// Written by the threads of a program, read by any.
struct Counters {
  std::atomic<std::uint64_t> launches{0};
  std::atomic<std::uint64_t> copies{0};
  std::atomic<std::uint64_t> bytes_copied{0};
  std::atomic<std::uint64_t> staged{0};
  std::atomic<std::uint64_t> bytes_staged{0};
  std::atomic<std::int64_t> kernel_ns{0};

  void count_launch() { launches.fetch_add(1, std::memory_order_relaxed); }
  void count_copy(std::size_t bytes) {
    copies.fetch_add(1, std::memory_order_relaxed);
    bytes_copied.fetch_add(bytes, std::memory_order_relaxed);
  }
  void count_staged(std::size_t bytes) {
    staged.fetch_add(1, std::memory_order_relaxed);
    bytes_staged.fetch_add(bytes, std::memory_order_relaxed);
  }
  void count_kernel_time(std::int64_t ns) { kernel_ns.fetch_add(ns, std::memory_order_relaxed); }
  [[nodiscard]] Statistics read() const;
};

/// Of a device that is given up: by whom, and afterwards.
[[nodiscard]] Error did_not_end(const std::string& kernels, std::chrono::nanoseconds deadline);
[[nodiscard]] Error was_given_up(const DeviceInfo& device);
/// Of payloads that stay on the device.
[[nodiscard]] Error is_on_another_device();
[[nodiscard]] Error was_not_written();
/// Of payloads that another process has left there.
[[nodiscard]] Error opens_no_peers_buffers();

}  // namespace ligament::gpu
