// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/driver.hpp"

#include <dlfcn.h>

#include <map>
#include <mutex>
#include <string>

#include "gpu/cuda/library.hpp"

namespace ligament::gpu::cuda {
namespace {

/// The exported name of each call; null where the library lacks one.
const char* find_all(void* library, Driver& driver) {
  const char* missing = nullptr;
  const auto find = [&](auto& function, const char* name) {
    void* found = ::dlsym(library, name);
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(found);
    missing = found == nullptr && missing == nullptr ? name : missing;
  };
  find(driver.init, "cuInit");
  find(driver.driver_version, "cuDriverGetVersion");
  find(driver.error_name, "cuGetErrorName");
  find(driver.error_string, "cuGetErrorString");
  find(driver.device_count, "cuDeviceGetCount");
  find(driver.device_get, "cuDeviceGet");
  find(driver.device_name, "cuDeviceGetName");
  find(driver.device_attribute, "cuDeviceGetAttribute");
  find(driver.device_memory, "cuDeviceTotalMem_v2");
  find(driver.primary_retain, "cuDevicePrimaryCtxRetain");
  find(driver.primary_release, "cuDevicePrimaryCtxRelease_v2");
  find(driver.set_current, "cuCtxSetCurrent");
  find(driver.get_current, "cuCtxGetCurrent");
  find(driver.module_load, "cuModuleLoadData");
  find(driver.module_unload, "cuModuleUnload");
  find(driver.module_function, "cuModuleGetFunction");
  find(driver.memory_info, "cuMemGetInfo_v2");
  find(driver.allocate, "cuMemAlloc_v2");
  find(driver.allocate_managed, "cuMemAllocManaged");
  find(driver.release, "cuMemFree_v2");
  find(driver.host_allocate, "cuMemHostAlloc");
  find(driver.host_release, "cuMemFreeHost");
  find(driver.host_register, "cuMemHostRegister_v2");
  find(driver.host_unregister, "cuMemHostUnregister");
  find(driver.host_address, "cuMemHostGetDevicePointer_v2");
  find(driver.write, "cuMemcpyHtoDAsync_v2");
  find(driver.read, "cuMemcpyDtoHAsync_v2");
  find(driver.fill, "cuMemsetD8Async");
  find(driver.attach, "cuStreamAttachMemAsync");
  find(driver.stream_create, "cuStreamCreate");
  find(driver.stream_destroy, "cuStreamDestroy_v2");
  find(driver.stream_wait, "cuStreamWaitEvent");
  find(driver.event_create, "cuEventCreate");
  find(driver.event_destroy, "cuEventDestroy_v2");
  find(driver.event_record, "cuEventRecord");
  find(driver.event_query, "cuEventQuery");
  find(driver.event_synchronize, "cuEventSynchronize");
  find(driver.event_elapsed, "cuEventElapsedTime");
  find(driver.ipc_show_memory, "cuIpcGetMemHandle");
  find(driver.ipc_open_memory, "cuIpcOpenMemHandle_v2");
  find(driver.ipc_close_memory, "cuIpcCloseMemHandle");
  find(driver.ipc_show_event, "cuIpcGetEventHandle");
  find(driver.ipc_open_event, "cuIpcOpenEventHandle");
  find(driver.host_function, "cuLaunchHostFunc");
  find(driver.launch, "cuLaunchKernel");
  return missing;
}

Result<Driver> open_driver(const std::string& path) {
  const auto library = open_library(path);
  if (!library) {
    return failure(ErrorCode::unavailable, "there is no CUDA driver here (" + library.error() +
                                               "); it comes with the driver of an NVIDIA GPU");
  }
  Driver driver{};
  if (const char* missing = find_all(*library, driver); missing != nullptr) {
    return failure(ErrorCode::unavailable, std::string("the CUDA driver is too old: it has no ") +
                                               missing + "; CUDA 11 or later is needed");
  }
  if (const Status status = driver.init(0); status != status::success) {
    return failure(ErrorCode::unavailable, "the CUDA driver finds no device: " +
                                               failed(driver, "cuInit", status).value().text);
  }
  return driver;
}

}  // namespace

Result<const Driver*> load_driver() {
  static std::mutex mutex;
  static auto* const known = new std::map<std::string, Result<Driver>>;  // used to the very end
  const std::lock_guard lock(mutex);
  const std::string path = library_path("LIGAMENT_CUDA_DRIVER", "libcuda.so.1");
  auto found = known->find(path);
  if (found == known->end()) {
    found = known->emplace(path, open_driver(path)).first;
  }
  if (!found->second) {
    return unexpected<Error>(found->second.error());
  }
  return &*found->second;
}

ErrorCode code_of(Status number) {
  switch (number) {
    case status::out_of_memory:
      return ErrorCode::out_of_memory;
    case status::no_device:
      return ErrorCode::unavailable;
    case status::invalid_value:
    case status::launch_out_of_resources:
    case status::memory_already_registered:
    case status::memory_not_registered:
    case status::already_mapped:
    case status::not_permitted:
    case status::not_supported:
      return ErrorCode::launch_failed;
    default:
      // After a fault of a kernel the driver gives this process's context up.
      return number >= status::illegal_address && number < status::not_permitted
                 ? ErrorCode::device_lost
                 : ErrorCode::launch_failed;
  }
}

unexpected<Error> failed(const Driver& driver, const char* call, Status number) {
  const char* text = nullptr;
  if (driver.error_string(number, &text) != status::success || text == nullptr) {
    text = "a number that this driver does not know";
  }
  return failure(code_of(number),
                 std::string(call) + ": " + text + " (" + std::to_string(number) + ")");
}

}  // namespace ligament::gpu::cuda
