// SPDX-License-Identifier: Apache-2.0
#include "statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace bench {
namespace {

double percentile(const std::vector<double>& sorted, double share) {
  const double rank = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(rank);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double weight = rank - static_cast<double>(below);
  return sorted[below] * (1 - weight) + sorted[above] * weight;
}

}  // namespace

nlohmann::ordered_json summary(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  const double squares = std::accumulate(
      values.begin(), values.end(), 0.0,
      [&](double sum, double value) { return sum + (value - mean) * (value - mean); });
  return {{"n", values.size()},
          {"p50", percentile(values, 0.5)},
          {"p99", percentile(values, 0.99)},
          {"mean", mean},
          {"sd", values.size() > 1 ? std::sqrt(squares / (count - 1)) : 0.0}};
}

}  // namespace bench
