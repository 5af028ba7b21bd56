// SPDX-License-Identifier: Apache-2.0
/// \file Which OpenCL device, and its context and queue.
#pragma once

#include "gpu/device_line.hpp"
#include "gpu/opencl/handle.hpp"

namespace ligament::gpu::opencl {

struct Device {
  cl_device_id id = nullptr;
  ContextHandle context;
  // In order each, with profiling. Where nothing is copied, one serves for all three.
  QueueHandle uploads;
  QueueHandle kernels;
  QueueHandle downloads;
  DeviceInfo info;
  std::size_t alignment = 1;  ///< in bytes, of memory of the host that kernels work on in place
  /// The driver may keep a copy of such memory, so it is told whose turn it is (map and unmap).
  bool is_handed_over = false;

  [[nodiscard]] cl_command_queue upload_queue() const {
    return uploads.get() == nullptr ? kernels.get() : uploads.get();
  }
  [[nodiscard]] cl_command_queue download_queue() const {
    return downloads.get() == nullptr ? kernels.get() : downloads.get();
  }
};

/// A line per device with the model that it would get, and where there is none the reason.
[[nodiscard]] std::vector<DeviceLine> device_lines();
[[nodiscard]] Result<Device> open_device(const Settings& settings, Access access);

}  // namespace ligament::gpu::opencl
