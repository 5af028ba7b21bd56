// SPDX-License-Identifier: Apache-2.0
/// \file When the device ran the commands of a submit, on the host's clock.
///
/// A command's time of enqueuing is stamped by the device's clock between two readings of the
/// host's. Each command so gives an interval in which the difference of the two clocks must lie;
/// what is common to those of one submit is the mapping (spec/events/reference.md).
#pragma once

#include <ligament/span.hpp>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "gpu/opencl/handle.hpp"

namespace ligament::gpu::opencl {

/// A command, and CLOCK_MONOTONIC around the call that enqueued it.
struct Timed {
  cl_event event = nullptr;  ///< the flight keeps it
  std::string_view name;
  trace::Category category = trace::Category::compute;
  std::int64_t before_ns = 0;
  std::int64_t after_ns = 0;
};

/// What the device's clock told of a command.
struct Stamps {
  std::int64_t queued_ns = 0;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

/// Added to a time of the device; right to within `bound_ns` at `at_ns` of the device.
struct Offset {
  std::int64_t ns = 0;
  std::int64_t bound_ns = 0;
  std::int64_t at_ns = 0;
};

/// None: no offset makes all of them true. `before`: of an earlier submit; a thread that lost its
/// core while it enqueued tells little, and the clocks part by no more than the host's is slewed.
[[nodiscard]] std::optional<Offset> offset_of(std::span<const Timed> timed,
                                              std::span<const Stamps> stamps,
                                              const std::optional<Offset>& before = {});

/// When the device worked, on the host's clock. One thread.
class Clock {
 public:
  /// The work of all commands, which have ended and which the host knew to have at `told_ns`. Empty
  /// where the clock's times cannot be true.
  [[nodiscard]] std::vector<trace::DeviceWork> work_of(std::span<const Timed> timed,
                                                       std::string_view device,
                                                       std::int64_t told_ns);
  /// The same, of stamps that were read before.
  [[nodiscard]] std::vector<trace::DeviceWork> work_of(std::span<const Timed> timed,
                                                       std::span<const Stamps> stamps,
                                                       std::string_view device,
                                                       std::int64_t told_ns);

 private:
  std::optional<Offset> offset_;
};

}  // namespace ligament::gpu::opencl
