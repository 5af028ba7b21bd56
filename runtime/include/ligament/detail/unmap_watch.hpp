// SPDX-License-Identifier: Apache-2.0
/// \file Being told that memory of the pool is unmapped. Not promised.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

namespace ligament::pool {

/// Told, before it goes, of each piece of the pool's memory that this process unmaps, and of each
/// that it maps, where others' memory may have been: for those who keep something made from its
/// addresses (a device's buffers), which new memory may get again. Called on that thread, which may
/// hold the pool's locks: it must not call the pool.
class UnmapWatch {
 public:
  using Callback = std::function<void(std::span<const std::byte> memory)>;

  explicit UnmapWatch(Callback callback);
  /// Returns when no call is in progress.
  ~UnmapWatch();
  UnmapWatch(const UnmapWatch&) = delete;
  UnmapWatch& operator=(const UnmapWatch&) = delete;

 private:
  friend void tell_unmap_watches(std::span<const std::byte> memory);

  Callback callback_;
};

/// What the pool calls.
void tell_unmap_watches(std::span<const std::byte> memory);

}  // namespace ligament::pool
