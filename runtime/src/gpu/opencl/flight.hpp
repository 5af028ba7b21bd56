// SPDX-License-Identifier: Apache-2.0
/// \file One submit to an OpenCL device.
#pragma once

#include <functional>

#include "gpu/flights.hpp"
#include "gpu/opencl/clock.hpp"
#include "gpu/opencl/memory.hpp"

namespace ligament::gpu::opencl {

struct OpenClFlight final : Flight {
  using Landed = std::function<void(OpenClFlight& flight)>;

  /// `landed` outlives it.
  explicit OpenClFlight(const Landed& landed) : landed_(landed) {}
  [[nodiscard]] bool has_work() const override { return last.get() != nullptr; }
  [[nodiscard]] bool ask_to_be_told(Told* told) override;
  [[nodiscard]] bool has_landed() override;
  void land() override;

  std::vector<EventHandle> kernels;
  std::vector<EventHandle> copies;
  std::vector<Timed> timed;  ///< of these, where its completion wants the times
  EventHandle last;          ///< done when all of it is; empty: nothing was enqueued
  Lease lease;

 private:
  const Landed& landed_;
};

}  // namespace ligament::gpu::opencl
