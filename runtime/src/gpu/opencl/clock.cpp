// SPDX-License-Identifier: Apache-2.0
#include "gpu/opencl/clock.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace ligament::gpu::opencl {
namespace {

/// The most by which CLOCK_MONOTONIC is slewed: 500 ppm.
constexpr std::int64_t slew_divisor = 2000;
/// The coarsest that drivers' clocks are (CL_DEVICE_PROFILING_TIMER_RESOLUTION is up to 1 us).
constexpr std::int64_t resolution_ns = 1000;

std::optional<Stamps> stamps_of(cl_event event) {
  Stamps stamps;
  const auto read = [event](cl_profiling_info what, std::int64_t& into) {
    cl_ulong value = 0;
    if (clGetEventProfilingInfo(event, what, sizeof value, &value, nullptr) != CL_SUCCESS) {
      return false;
    }
    into = static_cast<std::int64_t>(value);
    return value != 0;
  };
  const bool told = read(CL_PROFILING_COMMAND_QUEUED, stamps.queued_ns) &&
                    read(CL_PROFILING_COMMAND_START, stamps.begin_ns) &&
                    read(CL_PROFILING_COMMAND_END, stamps.end_ns);
  return told ? std::optional(stamps) : std::nullopt;
}

std::int64_t bound_at(const Offset& offset, std::int64_t device_ns) {
  return offset.bound_ns + std::abs(device_ns - offset.at_ns) / slew_divisor + 1;
}

}  // namespace

std::optional<Offset> offset_of(std::span<const Timed> timed, std::span<const Stamps> stamps,
                                const std::optional<Offset>& before) {
  if (timed.empty() || timed.size() != stamps.size()) {
    return std::nullopt;
  }
  std::int64_t low = std::numeric_limits<std::int64_t>::min();
  std::int64_t high = std::numeric_limits<std::int64_t>::max();
  const std::int64_t first = stamps.front().queued_ns;
  for (std::size_t i = 0; i < timed.size(); ++i) {
    // A later command's interval, as it was when the first was enqueued.
    const std::int64_t margin =
        std::abs(stamps[i].queued_ns - first) / slew_divisor + resolution_ns;
    low = std::max(low, timed[i].before_ns - stamps[i].queued_ns - margin);
    high = std::min(high, timed[i].after_ns - stamps[i].queued_ns + margin);
  }
  if (before) {
    const std::int64_t bound = bound_at(*before, first);
    const std::int64_t lowest = std::max(low, before->ns - bound);
    const std::int64_t highest = std::min(high, before->ns + bound);
    if (lowest <= highest) {  // else the clock was set, or runs otherwise: only the new ones count
      low = lowest;
      high = highest;
    }
  }
  if (low > high) {
    return std::nullopt;
  }
  return Offset{low + (high - low) / 2, (high - low + 1) / 2, first};
}

std::vector<trace::DeviceWork> Clock::work_of(std::span<const Timed> timed,
                                              std::span<const Stamps> stamps,
                                              std::string_view device, std::int64_t told_ns) {
  const auto offset = offset_of(timed, stamps, offset_);
  offset_ = offset;
  if (!offset) {
    return {};
  }
  std::vector<trace::DeviceWork> work;
  for (std::size_t i = 0; i < timed.size(); ++i) {
    const std::int64_t bound = bound_at(*offset, stamps[i].end_ns);
    const std::int64_t begin = stamps[i].begin_ns + offset->ns;
    const std::int64_t end = stamps[i].end_ns + offset->ns;
    if (begin + bound < timed[i].before_ns || end < begin || end - bound > told_ns) {
      return {};
    }
    work.push_back({.device = device,
                    .name = timed[i].name,
                    .category = timed[i].category,
                    .begin_ns = begin,
                    .end_ns = end,
                    .bound_ns = bound});
  }
  return work;
}

std::vector<trace::DeviceWork> Clock::work_of(std::span<const Timed> timed, std::string_view device,
                                              std::int64_t told_ns) {
  std::vector<Stamps> stamps;
  for (const Timed& one : timed) {
    const auto found = stamps_of(one.event);
    if (!found) {
      return {};
    }
    stamps.push_back(*found);
  }
  return work_of(timed, stamps, device, told_ns);
}

}  // namespace ligament::gpu::opencl
