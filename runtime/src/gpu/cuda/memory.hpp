// SPDX-License-Identifier: Apache-2.0
/// \file How the bytes of messages become addresses that a kernel can be given.
#pragma once

#include <mutex>

#include "gpu/cuda/host_memory.hpp"
#include "gpu/staging.hpp"

namespace ligament::gpu::cuda {

using Lease = Staging<Buffer>::Lease;
using PinnedLease = Staging<PinnedBuffer>::Lease;

/// Whether kernels can work on them in place.
[[nodiscard]] bool is_aligned(std::span<const std::byte> bytes);

/// One thread asks, another gives back.
class Memory {
 public:
  explicit Memory(const Device& device);

  /// zero_copy: where the device sees these bytes.
  [[nodiscard]] Result<Address> import(std::span<const std::byte> bytes);
  /// Whether the device copies from and to these bytes by itself; else the host copies them once
  /// more, from or to what pinned() gives.
  [[nodiscard]] Result<bool> pin(std::span<const std::byte> bytes);
  [[nodiscard]] Staging<Buffer>& staging() { return staging_; }
  [[nodiscard]] const Staging<Buffer>& staging() const { return staging_; }
  /// Memory of the host that stands for payloads.
  [[nodiscard]] Staging<PinnedBuffer>& pinned() { return pinned_; }
  /// Memory of the device that no host bytes stand for.
  [[nodiscard]] Result<Buffer> allocate(std::size_t size) const;
  void count_into(Statistics& statistics) const;

 private:
  [[nodiscard]] Result<Registered> find(std::span<const std::byte> bytes, Which which);
  [[nodiscard]] Result<Buffer> allocate_managed(std::size_t size) const;
  [[nodiscard]] Result<PinnedBuffer> allocate_pinned(std::size_t size) const;

  const Device& device_;
  Staging<Buffer> staging_;
  Staging<PinnedBuffer> pinned_;
  mutable std::mutex mutex_;  ///< guards all that follows
  std::uint64_t imports_ = 0;
  std::int64_t import_ns_ = 0;
};

}  // namespace ligament::gpu::cuda
