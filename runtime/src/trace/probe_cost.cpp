// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <chrono>
#include <ligament/trace.hpp>

#include "trace/provider_entry.hpp"

namespace ligament::trace {

ProbeCost measure_probe_cost() noexcept {
  // Short bursts, so that the median ignores those in which the scheduler took the core away.
  constexpr std::uint64_t burst = 50;
  std::array<double, 41> cost_ns{};
  for (double& result : cost_ns) {
    const auto begin = std::chrono::steady_clock::now();
    for (std::uint64_t index = 0; index < burst; ++index) {
      calibration(0, index, 0);
    }
    const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - begin;
    result = taken.count() / static_cast<double>(burst);
  }
  auto* middle = cost_ns.begin() + cost_ns.size() / 2;
  std::nth_element(cost_ns.begin(), middle, cost_ns.end());
  return {.median_ns = *middle, .events = burst * cost_ns.size()};
}

}  // namespace ligament::trace
