// SPDX-License-Identifier: Apache-2.0
/// \file From a device's ticks to the host's monotonic clock, with a bound on the error.
///
///   std::vector<ClockSample> samples;                       // some now, some later
///   for (...) samples.push_back(device->sample_clock().value());
///   const auto mapping = fit_clock(samples).value();
///   const MappedTime when = mapping.to_host(event_ticks);   // when.ns, when.bound_ns
#pragma once

#include <cstdint>
#include <ligament/expected.hpp>
#include <optional>
#include <span>

namespace ligament::device {

/// One reading: the device's ticks were read between two readings of the host's CLOCK_MONOTONIC.
struct ClockSample {
  std::uint64_t ticks = 0;
  std::int64_t host_before_ns = 0;
  std::int64_t host_after_ns = 0;
};

/// A host time and how wrong it may be, to either side.
struct MappedTime {
  std::int64_t ns = 0;
  std::int64_t bound_ns = 0;
};

/// The rate that a device's clock should have, and the share by which it may be wrong at most (a
/// crystal's tolerance, and what the host's own clock is slewed: 1e-3 is ample).
struct ClockRate {
  double ns_per_tick = 0;
  double tolerance = 0;
};

/// host = epoch + (ticks - epoch_ticks) * ns_per_tick, for a device whose clock runs evenly.
struct ClockMapping {
  std::uint64_t epoch_ticks = 0;
  std::int64_t epoch_ns = 0;
  double ns_per_tick = 0;
  std::uint64_t first_ticks = 0;  ///< `bound_ns` holds from here
  std::uint64_t last_ticks = 0;   ///< to here
  double bound_ns = 0;
  double first_bound_ns = 0;  ///< there
  double last_bound_ns = 0;
  double rate_bound = 0;  ///< by how much ns_per_tick may be wrong

  /// Outside of that span the bound grows with the distance, as the rate is not known exactly.
  [[nodiscard]] MappedTime to_host(std::uint64_t ticks) const;
  /// How much faster (> 0) the device's clock runs than it says, in parts per million.
  [[nodiscard]] double drift_ppm(double nominal_ticks_per_second) const;
};

enum class ClockFitError : std::uint8_t {
  too_few_samples,  ///< two at least
  not_increasing,   ///< ticks stood still or went back between samples
  torn_sample,      ///< a sample whose second host reading is before its first
};

/// The line through the samples, narrow ones counting more. Its bound is certain for a clock that
/// runs evenly: the true line passes through every interval [before, after], so at a sample the
/// fitted one is off by at most the distance of the interval's far end. The bound is by the two
/// samples that narrow it most, so one late answer does not widen it; outside of them by `nominal`,
/// too, if that says more. A nominal rate that the samples contradict is left out.
[[nodiscard]] expected<ClockMapping, ClockFitError> fit_clock(
    std::span<const ClockSample> samples, std::optional<ClockRate> nominal = std::nullopt);

}  // namespace ligament::device
