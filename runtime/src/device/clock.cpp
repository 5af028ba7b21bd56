// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <ligament/device_clock.hpp>

namespace ligament::device {
namespace {

/// A sample relative to the first one, so that doubles keep every nanosecond for months.
struct Point {
  double ticks;
  double middle_ns;
  double half_width_ns;
};

Point relative(const ClockSample& sample, const ClockSample& origin) {
  const auto before = static_cast<double>(sample.host_before_ns - origin.host_before_ns);
  const auto after = static_cast<double>(sample.host_after_ns - origin.host_before_ns);
  return {static_cast<double>(sample.ticks - origin.ticks), (before + after) / 2,
          (after - before) / 2};
}

struct Line {
  double offset_ns;
  double slope;
};

/// Weighted least squares; a sample's weight falls with the square of its width.
Line fit_line(std::span<const ClockSample> samples) {
  double weights = 0;
  double ticks = 0;
  double time = 0;
  const auto weight = [](const Point& p) {
    return 1 / ((p.half_width_ns + 1) * (p.half_width_ns + 1));
  };
  for (const auto& sample : samples) {
    const Point p = relative(sample, samples.front());
    weights += weight(p);
    ticks += weight(p) * p.ticks;
    time += weight(p) * p.middle_ns;
  }
  const double mean_ticks = ticks / weights;
  const double mean_time = time / weights;
  double together = 0;
  double spread = 0;
  for (const auto& sample : samples) {
    const Point p = relative(sample, samples.front());
    together += weight(p) * (p.ticks - mean_ticks) * (p.middle_ns - mean_time);
    spread += weight(p) * (p.ticks - mean_ticks) * (p.ticks - mean_ticks);
  }
  const double slope = together / spread;
  return {mean_time - slope * mean_ticks, slope};
}

}  // namespace

MappedTime ClockMapping::to_host(std::uint64_t ticks) const {
  // Signed: an event may lie before the first sample.
  const auto distance = static_cast<double>(static_cast<std::int64_t>(ticks - epoch_ticks));
  const auto span = static_cast<double>(last_ticks - epoch_ticks);
  const double outside = std::max({0.0, -distance, distance - span});
  const double bound = bound_ns * (1 + 2 * outside / span);
  return {epoch_ns + std::llround(distance * ns_per_tick),
          static_cast<std::int64_t>(std::ceil(bound))};
}

double ClockMapping::drift_ppm(double nominal_ticks_per_second) const {
  return (1e9 / (ns_per_tick * nominal_ticks_per_second) - 1) * 1e6;
}

expected<ClockMapping, ClockFitError> fit_clock(std::span<const ClockSample> samples) {
  if (samples.size() < 2) {
    return unexpected<ClockFitError>(ClockFitError::too_few_samples);
  }
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (samples[i].host_after_ns < samples[i].host_before_ns) {
      return unexpected<ClockFitError>(ClockFitError::torn_sample);
    }
    if (i != 0 && samples[i].ticks <= samples[i - 1].ticks) {
      return unexpected<ClockFitError>(ClockFitError::not_increasing);
    }
  }
  const Line line = fit_line(samples);
  ClockMapping mapping;
  mapping.epoch_ticks = samples.front().ticks;
  mapping.epoch_ns = samples.front().host_before_ns + std::llround(line.offset_ns);
  mapping.ns_per_tick = line.slope;
  mapping.last_ticks = samples.back().ticks;
  for (const auto& sample : samples) {
    const Point p = relative(sample, samples.front());
    const double off = std::abs(p.middle_ns - (line.offset_ns + line.slope * p.ticks));
    mapping.bound_ns = std::max(mapping.bound_ns, off + p.half_width_ns);
  }
  mapping.bound_ns += 1;  // epoch_ns and results are whole nanoseconds
  return mapping;
}

}  // namespace ligament::device
