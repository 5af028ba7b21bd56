// SPDX-License-Identifier: Apache-2.0
/// \file The seam between libligament and a provider object, which it opens at run time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ligament/detail/ros2_events.hpp>
#include <ligament/detail/trace_events.hpp>

namespace ligament::trace {

namespace detail {

/// What a provider object hands over.
struct Provider {
  std::size_t hooks_size;     ///< sizeof(Hooks) as the provider was compiled
  const char* events_digest;  ///< detail::events_digest as the provider was compiled
  const Hooks* hooks;
};

/// The one symbol of a provider object, with C linkage.
using ProviderEntry = const Provider* (*)();
inline constexpr const char* provider_entry_symbol = "ligament_trace_provider";

}  // namespace detail

namespace ros2::detail {

/// The same for the provider `ros2`.
struct Provider {
  std::size_t hooks_size;
  const char* events_digest;
  const Hooks* hooks;
};
using ProviderEntry = const Provider* (*)();
inline constexpr const char* provider_entry_symbol = "ligament_trace_ros2_provider";

}  // namespace ros2::detail

/// What one event costs in this process, its caches warm.
struct ProbeCost {
  double median_ns = 0;
  std::uint64_t events = 0;
};

/// Time bursts of `calibration` events through the active hooks. Takes well under a millisecond.
[[nodiscard]] ProbeCost measure_probe_cost() noexcept;

}  // namespace ligament::trace
