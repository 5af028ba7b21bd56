// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/clock.hpp"

#include <cmath>
#include <optional>

#include "ligament/detail/pool.hpp"

namespace ligament::gpu::cuda {
namespace {

constexpr std::int64_t most_age_ns = 100'000'000;
/// Of two clocks of crystals, in parts per million.
constexpr double drift_ppm = 100;

struct Distance {
  std::int64_t ns = 0;
  std::int64_t bound_ns = 0;
};

std::optional<Distance> from_reference(const Driver& driver, const Reference& reference,
                                       const EventHandle& event) {
  float milliseconds = 0;
  if (driver.event_elapsed(&milliseconds, reference.event.get(), event.get()) != status::success) {
    return std::nullopt;
  }
  const double ns = static_cast<double>(milliseconds) * 1e6;
  constexpr double resolution_ns = 1000;                        // documented as about 0.5 us
  const double rounding = std::abs(ns) * std::ldexp(1.0, -23);  // it is told as a float
  const double drift = std::abs(ns) * drift_ppm * 1e-6;
  return Distance{std::llround(ns),
                  static_cast<std::int64_t>(std::ceil(resolution_ns + rounding + drift))};
}

}  // namespace

std::shared_ptr<const Reference> reference_of(const Device& device,
                                              std::shared_ptr<const Reference> known) {
  if (known != nullptr && pool::monotonic_now_ns() - known->host_ns < most_age_ns) {
    return known;
  }
  auto made = std::make_shared<Reference>();
  auto event = make_event(device);
  if (!event) {
    return nullptr;
  }
  made->event = std::move(*event);
  const Driver& driver = *device.driver;
  const std::int64_t before = pool::monotonic_now_ns();
  if (driver.event_record(made->event.get(), device.clock.get()) != status::success ||
      driver.event_synchronize(made->event.get()) != status::success) {
    return nullptr;
  }
  const std::int64_t after = pool::monotonic_now_ns();
  made->host_ns = before + (after - before) / 2;
  made->bound_ns = (after - before) / 2 + 1;
  return made;
}

std::vector<trace::DeviceWork> work_of(const std::vector<Step>& steps, const Reference& reference,
                                       const Device& device) {
  std::vector<trace::DeviceWork> all;
  for (const Step& step : steps) {
    const auto begin = from_reference(*device.driver, reference, step.begin);
    const auto end = from_reference(*device.driver, reference, step.end);
    if (!begin || !end || end->ns < begin->ns) {
      return {};
    }
    all.push_back({.device = device.info.name,
                   .name = step.name,
                   .category = step.is_kernel ? trace::Category::compute : trace::Category::copy,
                   .base = trace::TimeBase::device,
                   .begin_ns = reference.host_ns + begin->ns,
                   .end_ns = reference.host_ns + end->ns,
                   .bound_ns = reference.bound_ns + end->bound_ns});
  }
  return all;
}

}  // namespace ligament::gpu::cuda
