// SPDX-License-Identifier: Apache-2.0
/// \file Which OpenCL device, and its context and queue.
#pragma once

#include "gpu/opencl/handle.hpp"

namespace ligament::gpu::opencl {

struct Device {
  cl_device_id id = nullptr;
  ContextHandle context;
  QueueHandle queue;  ///< in order, with profiling
  DeviceInfo info;
};

[[nodiscard]] Result<Device> open_device(const Settings& settings);

}  // namespace ligament::gpu::opencl
