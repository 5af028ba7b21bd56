// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <ligament/device_clock.hpp>
#include <limits>
#include <vector>

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

struct Rates {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
};

/// Weighted least squares; a sample's weight falls with the square of its width.
Line fit_line(std::span<const Point> points, const Rates& rates) {
  double weights = 0;
  double ticks = 0;
  double time = 0;
  const auto weight = [](const Point& p) {
    return 1 / ((p.half_width_ns + 1) * (p.half_width_ns + 1));
  };
  for (const Point& p : points) {
    weights += weight(p);
    ticks += weight(p) * p.ticks;
    time += weight(p) * p.middle_ns;
  }
  const double mean_ticks = ticks / weights;
  const double mean_time = time / weights;
  double together = 0;
  double spread = 0;
  for (const Point& p : points) {
    together += weight(p) * (p.ticks - mean_ticks) * (p.middle_ns - mean_time);
    spread += weight(p) * (p.ticks - mean_ticks) * (p.ticks - mean_ticks);
  }
  const double slope = std::clamp(together / spread, rates.least, rates.most);
  return {mean_time - slope * mean_ticks, slope};
}

/// What `nominal` allows; everything, if any two samples say otherwise.
Rates rates_of(std::span<const Point> points, const std::optional<ClockRate>& nominal) {
  if (!nominal) {
    return {};
  }
  const Rates rates{nominal->ns_per_tick * (1 - nominal->tolerance),
                    nominal->ns_per_tick * (1 + nominal->tolerance)};
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = i + 1; j < points.size(); ++j) {
      const double between = points[j].ticks - points[i].ticks;
      const double way = points[j].middle_ns - points[i].middle_ns;
      const double wide = points[j].half_width_ns + points[i].half_width_ns;
      if (way + wide < rates.least * between || way - wide > rates.most * between) {
        return {};
      }
    }
  }
  return rates;
}

/// By which two samples the line is bound best: at the first and at the last one together.
void set_bounds(ClockMapping& mapping, std::span<const Point> points, const Line& line,
                const Rates& rates) {
  const auto off = [&](const Point& p) {  // and epoch_ns and results are whole nanoseconds
    return std::abs(p.middle_ns - (line.offset_ns + line.slope * p.ticks)) + p.half_width_ns + 1;
  };
  const double known = std::max(line.slope - rates.least, rates.most - line.slope);
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double first = off(points[i]);
    for (std::size_t j = i + 1; j < points.size(); ++j) {
      const double last = off(points[j]);
      const double rate = std::min(known, (first + last) / (points[j].ticks - points[i].ticks));
      const double outside = points[i].ticks + points.back().ticks - points[j].ticks;
      if (const double sum = first + last + rate * outside; sum < best) {
        best = sum;
        mapping.first_ticks = mapping.epoch_ticks + static_cast<std::uint64_t>(points[i].ticks);
        mapping.last_ticks = mapping.epoch_ticks + static_cast<std::uint64_t>(points[j].ticks);
        mapping.first_bound_ns = first;
        mapping.last_bound_ns = last;
        mapping.rate_bound = rate;
      }
    }
  }
  mapping.bound_ns = std::max(mapping.first_bound_ns, mapping.last_bound_ns);
}

}  // namespace

MappedTime ClockMapping::to_host(std::uint64_t ticks) const {
  // Signed: an event may lie before the first sample.
  const auto from = [ticks](std::uint64_t place) {
    return static_cast<double>(static_cast<std::int64_t>(ticks - place));
  };
  double bound = bound_ns;
  if (const double before = -from(first_ticks); before > 0) {
    bound = first_bound_ns + rate_bound * before;
  } else if (const double after = from(last_ticks); after > 0) {
    bound = last_bound_ns + rate_bound * after;
  }
  return {epoch_ns + std::llround(from(epoch_ticks) * ns_per_tick),
          static_cast<std::int64_t>(std::ceil(bound))};
}

double ClockMapping::drift_ppm(double nominal_ticks_per_second) const {
  return (1e9 / (ns_per_tick * nominal_ticks_per_second) - 1) * 1e6;
}

expected<ClockMapping, ClockFitError> fit_clock(std::span<const ClockSample> samples,
                                                std::optional<ClockRate> nominal) {
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
  std::vector<Point> points;
  points.reserve(samples.size());
  for (const auto& sample : samples) {
    points.push_back(relative(sample, samples.front()));
  }
  const Rates rates = rates_of(points, nominal);
  const Line line = fit_line(points, rates);
  ClockMapping mapping;
  mapping.epoch_ticks = samples.front().ticks;
  mapping.epoch_ns = samples.front().host_before_ns + std::llround(line.offset_ns);
  mapping.ns_per_tick = line.slope;
  set_bounds(mapping, points, line, rates);
  return mapping;
}

}  // namespace ligament::device
