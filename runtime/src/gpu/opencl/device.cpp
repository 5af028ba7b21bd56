// SPDX-License-Identifier: Apache-2.0
#include "gpu/opencl/device.hpp"

#include <algorithm>
#include <map>
#include <mutex>

namespace ligament::gpu::opencl {
namespace {

struct Found {
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  std::string place;  ///< platform:device, by number
  std::string name;
  bool is_gpu = false;
  bool is_host = false;  ///< runs on the processors
};

std::vector<Found> devices_of(cl_platform_id platform, std::size_t number) {
  cl_uint count = 0;
  if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count) != CL_SUCCESS) {
    return {};
  }
  std::vector<cl_device_id> ids(count);
  if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, ids.data(), nullptr) != CL_SUCCESS) {
    return {};
  }
  std::vector<Found> found;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    cl_device_type type = 0;
    (void)clGetDeviceInfo(ids[i], CL_DEVICE_TYPE, sizeof type, &type, nullptr);
    found.push_back({platform, ids[i], std::to_string(number) + ":" + std::to_string(i),
                     text_of(clGetDeviceInfo, ids[i], cl_device_info{CL_DEVICE_NAME}),
                     (type & CL_DEVICE_TYPE_GPU) != 0, (type & CL_DEVICE_TYPE_CPU) != 0});
  }
  return found;
}

std::vector<Found> all_devices() {
  cl_uint count = 0;
  if (clGetPlatformIDs(0, nullptr, &count) != CL_SUCCESS) {
    return {};
  }
  std::vector<cl_platform_id> platforms(count);
  if (clGetPlatformIDs(count, platforms.data(), nullptr) != CL_SUCCESS) {
    return {};
  }
  std::vector<Found> all;
  for (std::size_t i = 0; i < platforms.size(); ++i) {
    for (Found& found : devices_of(platforms[i], i)) {
      all.push_back(std::move(found));
    }
  }
  return all;
}

std::string listing(const std::vector<Found>& all) {
  std::string text;
  for (const Found& found : all) {
    text += (text.empty() ? "" : ", ") + found.place + " '" + found.name + "'";
  }
  return text;
}

Result<Found> choose(const std::string& wish) {
  const auto all = all_devices();
  if (all.empty()) {
    return failure(ErrorCode::unavailable,
                   "there is no OpenCL device here; install your GPU's OpenCL driver, or PoCL, "
                   "which runs kernels on the CPU (Debian: pocl-opencl-icd)");
  }
  if (wish.empty()) {
    const auto gpu =
        std::find_if(all.begin(), all.end(), [](const Found& found) { return found.is_gpu; });
    return gpu != all.end() ? *gpu : all.front();
  }
  for (const Found& found : all) {
    if (found.place == wish || found.name.find(wish) != std::string::npos) {
      return found;
    }
  }
  return failure(ErrorCode::unavailable,
                 "no OpenCL device is called '" + wish + "'; there are: " + listing(all));
}

Result<DeviceInfo> describe(const Found& found, Model model) {
  DeviceInfo info;
  info.name = found.name;
  cl_bool shares = CL_FALSE;
  (void)clGetDeviceInfo(found.device, CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof shares, &shares,
                        nullptr);
  info.shares_host_memory = shares == CL_TRUE;
  if (model == Model::zero_copy && !info.shares_host_memory) {
    return failure(ErrorCode::setting, "'" + found.name +
                                           "' does not share the host's memory, so there is no "
                                           "zero_copy on it; standard_copy works");
  }
  cl_device_svm_capabilities shared = 0;
  if (model == Model::unified_memory &&
      (clGetDeviceInfo(found.device, CL_DEVICE_SVM_CAPABILITIES, sizeof shared, &shared, nullptr) !=
           CL_SUCCESS ||
       shared == 0)) {
    return failure(ErrorCode::setting, "'" + found.name +
                                           "' has no memory that the host may write too (OpenCL's "
                                           "SVM), so there is no unified_memory on it; "
                                           "standard_copy works");
  }
  info.model = model != Model::automatic ? model
               : found.is_host           ? Model::zero_copy
                                         : Model::standard_copy;
  return info;
}

/// One for all programs of the process, which so can use each other's buffers and events. Kept
/// until the process ends.
Result<ContextHandle> shared_context(cl_device_id device) {
  static std::mutex mutex;
  static auto* const known = new std::map<cl_device_id, ContextHandle>;
  const std::lock_guard lock(mutex);
  auto found = known->find(device);
  if (found == known->end()) {
    cl_int status = CL_SUCCESS;
    ContextHandle made(clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status));
    if (status != CL_SUCCESS) {
      return failed("clCreateContext", status);
    }
    found = known->emplace(device, std::move(made)).first;
  }
  (void)clRetainContext(found->second.get());
  return ContextHandle(found->second.get());
}

}  // namespace

Result<Device> open_device(const Settings& settings) {
  const auto found = choose(settings.device);
  if (!found) {
    return unexpected<Error>(found.error());
  }
  const auto info = describe(*found, settings.model);
  if (!info) {
    return unexpected<Error>(info.error());
  }
  cl_int status = CL_SUCCESS;
  Device device;
  device.id = found->device;
  device.info = *info;
  auto context = shared_context(device.id);
  if (!context) {
    return unexpected<Error>(context.error());
  }
  device.context = std::move(*context);
  for (QueueHandle* queue : {&device.uploads, &device.kernels, &device.downloads}) {
    if (device.is_in_place() && queue != &device.kernels) {
      continue;
    }
    *queue = QueueHandle(
        clCreateCommandQueue(device.context.get(), device.id, CL_QUEUE_PROFILING_ENABLE, &status));
    if (status != CL_SUCCESS) {
      return failed("clCreateCommandQueue", status);
    }
  }
  return device;
}

}  // namespace ligament::gpu::opencl
