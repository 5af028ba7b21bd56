// SPDX-License-Identifier: Apache-2.0
/// \file How much unified memory the programs of a process have on a device: pages that nobody has
/// touched yet take none of it, so what the driver calls free is not what is left.
#pragma once

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <optional>
#include <utility>

namespace ligament::gpu::cuda {

class ManagedMemory {
 public:
  /// Counted for as long as it lives; the memory that it is of outlives it.
  class Claim {
   public:
    Claim() = default;
    Claim(ManagedMemory& memory, std::size_t size) : memory_(&memory), size_(size) {}
    Claim(Claim&& other) noexcept
        : memory_(std::exchange(other.memory_, nullptr)), size_(other.size_) {}
    Claim& operator=(Claim&& other) noexcept {
      std::swap(memory_, other.memory_);
      std::swap(size_, other.size_);
      return *this;
    }
    ~Claim() {
      if (memory_ != nullptr) {
        const std::lock_guard lock(memory_->mutex_);
        memory_->taken_ -= size_;
      }
    }

   private:
    ManagedMemory* memory_ = nullptr;
    std::size_t size_ = 0;
  };

  /// `free`: what the driver calls so now. None: it is more than there is room for.
  [[nodiscard]] std::optional<Claim> claim(std::size_t size, std::size_t free) {
    const std::lock_guard lock(mutex_);
    room_ = taken_ == 0 ? free : room_;
    // Others may have taken memory since; but some of what is not free may be ours.
    const std::size_t room = std::min(room_, free + taken_);
    if (size > room || taken_ > room - size) {
      return std::nullopt;
    }
    taken_ += size;
    return Claim(*this, size);
  }
  [[nodiscard]] std::size_t taken() const {
    const std::lock_guard lock(mutex_);
    return taken_;
  }

 private:
  mutable std::mutex mutex_;  ///< guards all that follows
  std::size_t taken_ = 0;
  std::size_t room_ = 0;  ///< when nothing was taken
};

}  // namespace ligament::gpu::cuda
