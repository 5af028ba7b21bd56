// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/driver.hpp"

#include <dlfcn.h>

#include <string>
#include <tuple>

#include "gpu/cuda/library.hpp"

namespace ligament::gpu::cuda {
namespace {

template <typename Function>
struct Call {
  Function Driver::*function;
  const char* name;  ///< as the library exports it
};
template <typename Function>
Call(Function Driver::*, const char*) -> Call<Function>;

constexpr std::tuple calls{
    Call{&Driver::init, "cuInit"},
    Call{&Driver::driver_version, "cuDriverGetVersion"},
    Call{&Driver::error_name, "cuGetErrorName"},
    Call{&Driver::error_string, "cuGetErrorString"},
    Call{&Driver::device_count, "cuDeviceGetCount"},
    Call{&Driver::device_get, "cuDeviceGet"},
    Call{&Driver::device_name, "cuDeviceGetName"},
    Call{&Driver::device_attribute, "cuDeviceGetAttribute"},
    Call{&Driver::device_memory, "cuDeviceTotalMem_v2"},
    Call{&Driver::primary_retain, "cuDevicePrimaryCtxRetain"},
    Call{&Driver::primary_release, "cuDevicePrimaryCtxRelease_v2"},
    Call{&Driver::set_current, "cuCtxSetCurrent"},
    Call{&Driver::get_current, "cuCtxGetCurrent"},
    Call{&Driver::module_load, "cuModuleLoadData"},
    Call{&Driver::module_unload, "cuModuleUnload"},
    Call{&Driver::module_function, "cuModuleGetFunction"},
    Call{&Driver::memory_info, "cuMemGetInfo_v2"},
    Call{&Driver::allocate, "cuMemAlloc_v2"},
    Call{&Driver::allocate_managed, "cuMemAllocManaged"},
    Call{&Driver::release, "cuMemFree_v2"},
    Call{&Driver::host_allocate, "cuMemHostAlloc"},
    Call{&Driver::host_release, "cuMemFreeHost"},
    Call{&Driver::host_register, "cuMemHostRegister_v2"},
    Call{&Driver::host_unregister, "cuMemHostUnregister"},
    Call{&Driver::host_address, "cuMemHostGetDevicePointer_v2"},
    Call{&Driver::write, "cuMemcpyHtoDAsync_v2"},
    Call{&Driver::read, "cuMemcpyDtoHAsync_v2"},
    Call{&Driver::fill, "cuMemsetD8Async"},
    Call{&Driver::attach, "cuStreamAttachMemAsync"},
    Call{&Driver::stream_create, "cuStreamCreate"},
    Call{&Driver::stream_destroy, "cuStreamDestroy_v2"},
    Call{&Driver::stream_wait, "cuStreamWaitEvent"},
    Call{&Driver::event_create, "cuEventCreate"},
    Call{&Driver::event_destroy, "cuEventDestroy_v2"},
    Call{&Driver::event_record, "cuEventRecord"},
    Call{&Driver::event_query, "cuEventQuery"},
    Call{&Driver::event_synchronize, "cuEventSynchronize"},
    Call{&Driver::event_elapsed, "cuEventElapsedTime"},
    Call{&Driver::ipc_show_memory, "cuIpcGetMemHandle"},
    Call{&Driver::ipc_open_memory, "cuIpcOpenMemHandle_v2"},
    Call{&Driver::ipc_close_memory, "cuIpcCloseMemHandle"},
    Call{&Driver::ipc_show_event, "cuIpcGetEventHandle"},
    Call{&Driver::ipc_open_event, "cuIpcOpenEventHandle"},
    Call{&Driver::host_function, "cuLaunchHostFunc"},
    Call{&Driver::launch, "cuLaunchKernel"},
};

/// Null, or the first call that the library lacks.
const char* find_all(void* library, Driver& driver) {
  const char* missing = nullptr;
  const auto find = [&]<typename Function>(const Call<Function>& call) {
    void* found = ::dlsym(library, call.name);
    driver.*call.function = reinterpret_cast<Function>(found);
    missing = found == nullptr && missing == nullptr ? call.name : missing;
  };
  std::apply([&](const auto&... call) { (find(call), ...); }, calls);
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
  return opened_once(library_path("LIGAMENT_CUDA_DRIVER", "libcuda.so.1"), open_driver);
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
