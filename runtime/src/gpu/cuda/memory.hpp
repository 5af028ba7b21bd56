// SPDX-License-Identifier: Apache-2.0
/// \file How the bytes of messages become addresses that a kernel can be given.
#pragma once

#include <map>
#include <mutex>
#include <vector>

#include "gpu/cuda/host_memory.hpp"

namespace ligament::gpu::cuda {

/// Memory of the device that stands for bytes of the host until its submit has ended.
struct Staged {
  const std::byte* host = nullptr;
  Buffer buffer;
  std::size_t size = 0;
};
/// Those of one submit.
using Lease = std::vector<Staged>;

struct Mapped {
  Address address = 0;
  bool is_new = false;  ///< staged, and no earlier launch of this submit had these bytes
};

/// One thread asks, another gives back.
class Memory {
 public:
  explicit Memory(const Device& device) : device_(device) {}

  /// zero_copy: where the device sees these bytes.
  [[nodiscard]] Result<Address> import(std::span<const std::byte> bytes);
  /// Makes copies of these bytes asynchronous; a driver that refuses only makes them slower.
  void pin(std::span<const std::byte> bytes);
  [[nodiscard]] Result<Mapped> stage(std::span<const std::byte> bytes, Lease& lease);
  [[nodiscard]] Result<Mapped> kept(const Kept& which);
  /// Which content kept() is going to give: another number, another content.
  [[nodiscard]] std::uint64_t generation_of(const Kept& which) const;
  /// Memory of the device that no host bytes stand for.
  [[nodiscard]] Result<Buffer> allocate(std::size_t size) const;
  /// The submit has ended: its buffers are free for the next.
  void give_back(Lease&& lease);
  void count_into(Statistics& statistics) const;

 private:
  struct KeptPlace {
    Buffer buffer;
    std::size_t size = 0;
    std::uint64_t generation = 0;
  };
  [[nodiscard]] Result<Registered> find(std::span<const std::byte> bytes, Which which);
  [[nodiscard]] Result<Buffer> allocate_managed(std::size_t size) const;
  [[nodiscard]] Buffer take_free(std::size_t& size);

  const Device& device_;
  mutable std::mutex mutex_;  ///< guards all that follows
  std::uint64_t imports_ = 0;
  std::int64_t import_ns_ = 0;
  std::vector<Staged> free_;
  std::map<std::uint32_t, KeptPlace> kept_;
};

}  // namespace ligament::gpu::cuda
