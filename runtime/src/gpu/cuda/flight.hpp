// SPDX-License-Identifier: Apache-2.0
/// \file One submit to a CUDA device.
#pragma once

#include <functional>

#include "gpu/cuda/clock.hpp"
#include "gpu/cuda/memory.hpp"
#include "gpu/flights.hpp"

namespace ligament::gpu::cuda {

/// Bytes that the host copies once the device is done (unified memory, and what is not pinned).
struct HostCopy {
  std::span<std::byte> to;
  const std::byte* from = nullptr;
};

struct CudaFlight final : Flight {
  using Landed = std::function<void(CudaFlight& flight)>;

  /// Both outlive it.
  CudaFlight(const Device& device, const Landed& landed) : device_(device), landed_(landed) {}
  [[nodiscard]] bool has_work() const override { return static_cast<bool>(last); }
  [[nodiscard]] bool ask_to_be_told(Told* told) override;
  [[nodiscard]] bool has_landed() override;
  void land() override;

  std::vector<Step> steps;
  std::shared_ptr<const Reference> reference;  ///< where its completion wants the times
  EventHandle last;  ///< done when all of it is; empty: nothing was enqueued
  std::vector<HostCopy> host_copies;
  Lease lease;
  PinnedLease pinned;

 private:
  const Device& device_;
  const Landed& landed_;
};

}  // namespace ligament::gpu::cuda
