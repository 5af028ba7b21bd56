// SPDX-License-Identifier: Apache-2.0
/// \file When the device ran the steps of a submit, on the host's clock.
///
/// CUDA tells times between two events only. So an event on an empty stream, made between two
/// readings of the host's clock, is what all others are measured from; a new one is made before the
/// two clocks can have drifted far.
#pragma once

#include <ligament/span.hpp>

#include "gpu/cuda/device.hpp"

namespace ligament::gpu::cuda {

/// A kernel or a copy between two events.
struct Step {
  std::string_view name;
  bool is_kernel = false;
  EventHandle begin;
  EventHandle end;
};

/// An event, and CLOCK_MONOTONIC when it happened.
struct Reference {
  EventHandle event;
  std::int64_t host_ns = 0;
  std::int64_t bound_ns = 0;
};

/// `known`, or a new one where that is none or too old. Null: the device tells no times.
[[nodiscard]] std::shared_ptr<const Reference> reference_of(const Device& device,
                                                            std::shared_ptr<const Reference> known);

/// The work of all steps, which have ended. Empty where the clock's times cannot be true.
[[nodiscard]] std::vector<trace::DeviceWork> work_of(const std::vector<Step>& steps,
                                                     const Reference& reference,
                                                     const Device& device);

}  // namespace ligament::gpu::cuda
