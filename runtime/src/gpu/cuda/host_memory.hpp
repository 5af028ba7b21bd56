// SPDX-License-Identifier: Apache-2.0
/// \file Memory of the host that the driver knows: once per mapping and process, never per message
/// (registering takes hundreds of microseconds and more).
#pragma once

#include <ligament/detail/unmap_watch.hpp>
#include <map>
#include <mutex>
#include <span>

#include "gpu/cuda/device.hpp"

namespace ligament::gpu::cuda {

/// The pool's segments are shared. Of private memory nobody tells when it goes, so it is registered
/// only where nothing works without, and its owner must keep it.
enum class Which : std::uint8_t { shared, any };

struct Registered {
  std::byte* base = nullptr;
  std::size_t size = 0;
  bool is_new = false;
};

class HostMemory {
 public:
  /// The one of a driver. Never destroyed: memory is unmapped until the very end of the process.
  [[nodiscard]] static HostMemory& of(const Driver& driver);

  /// The registered piece that holds these bytes: the whole mapping where it is shared memory, as
  /// the pool's segments are, else its pages. The device's context must be current.
  [[nodiscard]] Result<Registered> find(std::span<const std::byte> bytes, const Device& device,
                                        Which which);
  /// Pieces that were let go because their memory was unmapped.
  [[nodiscard]] std::uint64_t forgotten() const;

 private:
  explicit HostMemory(const Driver& driver);
  struct Piece {
    std::size_t size = 0;
    std::shared_ptr<SharedContext> context;  ///< in which it was registered
  };
  [[nodiscard]] Result<Registered> add(std::span<const std::byte> bytes, const Device& device,
                                       Which which);
  void forget(std::span<const std::byte> memory);

  const Driver& driver_;
  mutable std::mutex mutex_;  ///< guards all that follows
  std::map<std::byte*, Piece> pieces_;
  std::uint64_t forgotten_ = 0;
  pool::UnmapWatch watch_;  ///< last
};

}  // namespace ligament::gpu::cuda
