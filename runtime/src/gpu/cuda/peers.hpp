// SPDX-License-Identifier: Apache-2.0
/// \file Payloads of queue topics between processes: memory and events that one shows, by the
/// driver's handles, and another opens.
#pragma once

#include <map>

#include "gpu/cuda/resident.hpp"

namespace ligament::gpu::cuda {

/// One thread.
class Peers {
 public:
  /// What the device's stream of kernels has been given until now is what others wait for.
  [[nodiscard]] static Result<void> show(CudaResident& resident, const Device& device,
                                         std::span<std::byte, ticket_bytes> ticket);
  [[nodiscard]] Result<std::shared_ptr<Resident>> find(
      const Device& device, std::span<const std::byte, ticket_bytes> ticket);

 private:
  /// Opening takes long, and a peer's buffers come again. By the driver's handles.
  using Handles = std::pair<std::array<char, 64>, std::array<char, 64>>;
  std::map<Handles, std::shared_ptr<CudaResident>> known_;
};

}  // namespace ligament::gpu::cuda
