// SPDX-License-Identifier: Apache-2.0
/// \file Memory of the host that the driver knows: once per mapping and process, never per message
/// (registering takes hundreds of microseconds and more).
#pragma once

#include <ligament/detail/unmap_watch.hpp>
#include <map>
#include <mutex>
#include <span>

#include "gpu/cuda/device.hpp"
#include "gpu/mapping.hpp"

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
  /// the pool's segments are, else its pages. The device's context must be current. Of
  /// Which::shared, no base: it is not registered, and is not looked at again until the pool maps
  /// or unmaps something there.
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
  using Pieces = std::map<std::byte*, Piece>;
  /// The entry whose memory holds these bytes; none: the end.
  [[nodiscard]] static Pieces::const_iterator holding(const Pieces& all,
                                                      std::span<const std::byte> bytes);
  [[nodiscard]] Result<Registered> add(const ProcessMapping& piece, const Device& device);
  void forget(std::span<const std::byte> memory);

  const Driver& driver_;
  mutable std::mutex mutex_;  ///< guards all that follows
  Pieces pieces_;
  Pieces refused_;  ///< mappings that are not registered
  std::uint64_t forgotten_ = 0;
  pool::UnmapWatch watch_;  ///< last
};

}  // namespace ligament::gpu::cuda
