// SPDX-License-Identifier: Apache-2.0
#include "gpu/opencl/device.hpp"

#include <algorithm>
#include <map>
#include <mutex>

#include "gpu/model.hpp"

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

constexpr const char* no_device =
    "there is no OpenCL device here; install your GPU's OpenCL driver, or PoCL, which runs kernels "
    "on the CPU (Debian: pocl-opencl-icd)";

Result<Found> choose(const std::string& wish) {
  const auto all = all_devices();
  if (all.empty()) {
    return failure(ErrorCode::unavailable, no_device);
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

template <typename T>
T ask(cl_device_id device, cl_device_info what) {
  T value{};
  return clGetDeviceInfo(device, what, sizeof value, &value, nullptr) == CL_SUCCESS ? value : T{};
}

/// A device that host and kernels may use memory of at the same time keeps caches on both sides
/// coherent, so it need not switch them off.
MemoryFacts facts_of(const Found& found) {
  const auto shared = ask<cl_device_svm_capabilities>(found.device, CL_DEVICE_SVM_CAPABILITIES);
  return {.is_host = found.is_host,
          .is_shared = ask<cl_bool>(found.device, CL_DEVICE_HOST_UNIFIED_MEMORY) == CL_TRUE,
          .is_coherent = (shared & CL_DEVICE_SVM_FINE_GRAIN_BUFFER) != 0};
}

Result<void> check(const Found& found, Model model) {
  if (model == Model::zero_copy && !facts_of(found).is_shared) {
    return failure(ErrorCode::setting, "'" + found.name +
                                           "' does not share the host's memory, so there is no "
                                           "zero_copy on it; standard_copy works");
  }
  if (model == Model::unified_memory &&
      ask<cl_device_svm_capabilities>(found.device, CL_DEVICE_SVM_CAPABILITIES) == 0) {
    return failure(ErrorCode::setting, "'" + found.name +
                                           "' has no memory that the host may write too (OpenCL's "
                                           "SVM), so there is no unified_memory on it; "
                                           "standard_copy works");
  }
  return {};
}

Result<DeviceInfo> describe(const Found& found, const Settings& settings, Access access) {
  auto checked = check(found, settings.model);
  for (const auto& [topic, model] : settings.topic_models) {
    checked = checked ? check(found, model) : checked;
  }
  if (!checked) {
    return unexpected<Error>(checked.error());
  }
  const MemoryFacts facts = facts_of(found);
  const bool is_asked = settings.model != Model::automatic;
  const ModelChoice own = choose_model(facts, access);
  DeviceInfo info;
  info.name = found.name;
  info.shares_host_memory = facts.is_shared;
  info.model = is_asked ? settings.model : own.model;
  info.why = is_asked ? "it was asked for" : own.why;
  return info;
}

bool copies_something(const DeviceInfo& info, const Settings& settings) {
  const auto copies = [](Model model) {
    return model != Model::zero_copy && model != Model::automatic;
  };
  return copies(info.model) ||
         std::any_of(settings.topic_models.begin(), settings.topic_models.end(),
                     [&](const auto& entry) { return copies(entry.second); });
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

std::vector<DeviceLine> device_lines() {
  std::vector<DeviceLine> lines;
  for (const Found& found : all_devices()) {
    const auto info = describe(found, {}, Access::cached);
    lines.push_back(line_of("opencl " + found.place, info));
  }
  if (lines.empty()) {
    lines.push_back({std::string("opencl: ") + no_device, false});
  }
  return lines;
}

Result<Device> open_device(const Settings& settings, Access access) {
  const auto found = choose(settings.device);
  if (!found) {
    return unexpected<Error>(found.error());
  }
  auto info = describe(*found, settings, access);
  if (!info) {
    return unexpected<Error>(info.error());
  }
  Device device;
  device.id = found->device;
  device.info = std::move(*info);
  device.is_handed_over = !found->is_host;
  constexpr cl_uint bits = 8;
  device.alignment =
      std::max(ask<cl_uint>(device.id, CL_DEVICE_MEM_BASE_ADDR_ALIGN) / bits, cl_uint{1});
  auto context = shared_context(device.id);
  if (!context) {
    return unexpected<Error>(context.error());
  }
  device.context = std::move(*context);
  const bool has_copies = copies_something(device.info, settings);
  for (QueueHandle* queue : {&device.uploads, &device.kernels, &device.downloads}) {
    if (!has_copies && queue != &device.kernels) {
      continue;
    }
    cl_int status = CL_SUCCESS;
    *queue = QueueHandle(
        clCreateCommandQueue(device.context.get(), device.id, CL_QUEUE_PROFILING_ENABLE, &status));
    if (status != CL_SUCCESS) {
      return failed("clCreateCommandQueue", status);
    }
  }
  return device;
}

}  // namespace ligament::gpu::opencl
