// SPDX-License-Identifier: Apache-2.0
/// \file Which CUDA device, what it can do, and its streams.
#pragma once

#include "gpu/cuda/compiler.hpp"
#include "gpu/cuda/handle.hpp"
#include "gpu/device_line.hpp"

namespace ligament::gpu::cuda {

/// The context that all programs of a process share on a device, for as long as one needs it.
class SharedContext {
 public:
  SharedContext(const Driver& driver, Ordinal device, Context context)
      : driver_(driver), device_(device), context_(context) {}
  ~SharedContext();
  SharedContext(const SharedContext&) = delete;
  SharedContext& operator=(const SharedContext&) = delete;
  [[nodiscard]] Context get() const { return context_; }
  [[nodiscard]] const Driver& driver() const { return driver_; }
  /// Of a thread of our own, for good.
  void make_current() const { (void)driver_.set_current(context_); }
  [[nodiscard]] ManagedMemory& managed() { return managed_; }

 private:
  const Driver& driver_;
  Ordinal device_;
  Context context_;
  ManagedMemory managed_;
};

/// Calls of this thread go to a context for as long as this lives, then to the one before again: an
/// executor's thread may be that of somebody who works with CUDA himself. Where result() is an
/// error none may be made: they would go to the other's context.
class Current {
 public:
  explicit Current(const SharedContext& context);
  ~Current();
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;
  [[nodiscard]] Result<void> result() const;

 private:
  const Driver& driver_;
  Context before_ = nullptr;
  Status status_ = status::success;
  bool is_changed_ = false;
};

struct Facts {
  bool is_integrated = false;        ///< its memory is the host's
  bool maps_host_memory = false;     ///< kernels reach registered memory of the host
  bool registers_read_only = false;  ///< also memory that this process may only read
  bool has_managed_memory = false;
  bool shares_managed_memory = false;  ///< host and kernels at the same time
  Architecture architecture = 0;
};

struct Device {
  const Driver* driver = nullptr;
  Ordinal ordinal = 0;
  Facts facts;
  DeviceInfo info;
  std::shared_ptr<SharedContext> context;
  // Destroyed before the context is given back.
  StreamHandle uploads;
  StreamHandle kernels;
  StreamHandle downloads;
  StreamHandle told;   ///< tells the host, so that nothing on the others waits for that
  StreamHandle clock;  ///< is empty whenever the device's clock is read
};

/// A line per device with the model that it would get, or why it cannot be used.
[[nodiscard]] std::vector<DeviceLine> device_lines();
/// By its place or a part of its name; empty: any.
[[nodiscard]] Result<void> find_device(const std::string& wish);
[[nodiscard]] Result<Device> open_device(const Settings& settings, Access access);
[[nodiscard]] Result<EventHandle> make_event(const Device& device, unsigned flags = event_default);

}  // namespace ligament::gpu::cuda
