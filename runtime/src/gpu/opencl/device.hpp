// SPDX-License-Identifier: Apache-2.0
/// \file Which OpenCL device, and its context and queue.
#pragma once

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

  [[nodiscard]] bool is_in_place() const { return info.model == Model::zero_copy; }
  [[nodiscard]] cl_command_queue upload_queue() const {
    return is_in_place() ? kernels.get() : uploads.get();
  }
  [[nodiscard]] cl_command_queue download_queue() const {
    return is_in_place() ? kernels.get() : downloads.get();
  }
};

[[nodiscard]] Result<Device> open_device(const Settings& settings);

}  // namespace ligament::gpu::opencl
