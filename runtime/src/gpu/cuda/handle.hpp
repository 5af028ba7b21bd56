// SPDX-License-Identifier: Apache-2.0
/// \file The driver's things as move-only objects.
#pragma once

#include <utility>

#include "gpu/cuda/driver.hpp"
#include "gpu/cuda/managed.hpp"

namespace ligament::gpu::cuda {

template <typename T, Status (*Driver::*release)(T)>
class Owned {
 public:
  Owned() = default;
  Owned(const Driver& driver, T raw) : driver_(&driver), raw_(raw) {}
  ~Owned() { reset(); }
  Owned(Owned&& other) noexcept : driver_(other.driver_), raw_(std::exchange(other.raw_, T{})) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(driver_, other.driver_);
    std::swap(raw_, other.raw_);
    return *this;
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;

  [[nodiscard]] T get() const { return raw_; }
  [[nodiscard]] explicit operator bool() const { return raw_ != T{}; }

 private:
  void reset() {
    if (raw_ != T{}) {
      (void)(driver_->*release)(raw_);
    }
  }

  const Driver* driver_ = nullptr;
  T raw_{};
};

using StreamHandle = Owned<Stream, &Driver::stream_destroy>;
using EventHandle = Owned<Event, &Driver::event_destroy>;
using ModuleHandle = Owned<Module, &Driver::module_unload>;
/// Memory of the device.
struct Buffer : Owned<Address, &Driver::release> {
  using Owned::Owned;
  ManagedMemory::Claim claim;  ///< of unified memory
};
using PinnedBuffer = Owned<void*, &Driver::host_release>;
using OpenedMemory = Owned<Address, &Driver::ipc_close_memory>;

}  // namespace ligament::gpu::cuda
