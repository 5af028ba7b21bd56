// SPDX-License-Identifier: Apache-2.0
/// \file The numbers of a result row: n, p50, p99, mean, sd.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace ligament::nodes::image {

struct Statistics {
  std::size_t n = 0;
  double p50 = 0;
  double p99 = 0;
  double mean = 0;
  double sd = 0;
};

/// Percentiles are the nearest rank, so each is a value that was measured.
[[nodiscard]] inline Statistics statistics_of(std::vector<double> values) {
  Statistics result;
  result.n = values.size();
  if (values.empty()) return result;
  std::sort(values.begin(), values.end());
  const auto rank = [&](double fraction) {
    const auto position = std::ceil(fraction * static_cast<double>(values.size()));
    return values[static_cast<std::size_t>(std::max(1.0, position)) - 1];
  };
  result.p50 = rank(0.50);
  result.p99 = rank(0.99);
  const auto count = static_cast<double>(values.size());
  for (const double value : values) result.mean += value / count;
  double squares = 0;
  for (const double value : values) squares += (value - result.mean) * (value - result.mean);
  result.sd = values.size() > 1 ? std::sqrt(squares / (count - 1)) : 0;
  return result;
}

}  // namespace ligament::nodes::image
