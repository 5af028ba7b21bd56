// SPDX-License-Identifier: Apache-2.0
/// What the back-end declares of NVIDIA's driver and compiler, against NVIDIA's own headers: it is
/// right if this compiles. (Handles and enumerations are compared by size.)
#include <cuda.h>
#include <nvrtc.h>

#include <type_traits>

#include "gpu/cuda/driver.hpp"
#include "gpu/cuda/nvrtc.hpp"

namespace ligament::gpu::cuda {
namespace {

template <typename T>
struct Form {
  using Type = std::conditional_t<std::is_pointer_v<T>, void*,
                                  std::integral_constant<std::size_t, sizeof(T)>>;
};
template <typename Result, typename... Arguments>
struct Signature {};
template <typename Function>
struct FormOf;
template <typename Result, typename... Arguments>
struct FormOf<Result (*)(Arguments...)> {
  using Type = Signature<typename Form<Result>::Type, typename Form<Arguments>::Type...>;
};
template <typename One, typename Other>
constexpr bool is_same = std::is_same_v<typename FormOf<One>::Type, typename FormOf<Other>::Type>;

#define SAME(owner, own, official) \
  static_assert(is_same<decltype(owner::own), decltype(&official)>, #official)

SAME(Driver, init, cuInit);
SAME(Driver, driver_version, cuDriverGetVersion);
SAME(Driver, error_name, cuGetErrorName);
SAME(Driver, error_string, cuGetErrorString);
SAME(Driver, device_count, cuDeviceGetCount);
SAME(Driver, device_get, cuDeviceGet);
SAME(Driver, device_name, cuDeviceGetName);
SAME(Driver, device_attribute, cuDeviceGetAttribute);
SAME(Driver, device_memory, cuDeviceTotalMem_v2);
SAME(Driver, primary_retain, cuDevicePrimaryCtxRetain);
SAME(Driver, primary_release, cuDevicePrimaryCtxRelease_v2);
SAME(Driver, set_current, cuCtxSetCurrent);
SAME(Driver, get_current, cuCtxGetCurrent);
SAME(Driver, module_load, cuModuleLoadData);
SAME(Driver, module_unload, cuModuleUnload);
SAME(Driver, module_function, cuModuleGetFunction);
SAME(Driver, memory_info, cuMemGetInfo_v2);
SAME(Driver, allocate, cuMemAlloc_v2);
SAME(Driver, allocate_managed, cuMemAllocManaged);
SAME(Driver, release, cuMemFree_v2);
SAME(Driver, host_allocate, cuMemHostAlloc);
SAME(Driver, host_release, cuMemFreeHost);
SAME(Driver, host_register, cuMemHostRegister_v2);
SAME(Driver, host_unregister, cuMemHostUnregister);
SAME(Driver, host_address, cuMemHostGetDevicePointer_v2);
SAME(Driver, write, cuMemcpyHtoDAsync_v2);
SAME(Driver, read, cuMemcpyDtoHAsync_v2);
SAME(Driver, fill, cuMemsetD8Async);
SAME(Driver, attach, cuStreamAttachMemAsync);
SAME(Driver, stream_create, cuStreamCreate);
SAME(Driver, stream_destroy, cuStreamDestroy_v2);
SAME(Driver, stream_wait, cuStreamWaitEvent);
SAME(Driver, event_create, cuEventCreate);
SAME(Driver, event_destroy, cuEventDestroy_v2);
SAME(Driver, event_record, cuEventRecord);
SAME(Driver, event_query, cuEventQuery);
SAME(Driver, event_synchronize, cuEventSynchronize);
SAME(Driver, event_elapsed, cuEventElapsedTime);
SAME(Driver, ipc_show_memory, cuIpcGetMemHandle);
SAME(Driver, ipc_open_memory, cuIpcOpenMemHandle_v2);
SAME(Driver, ipc_close_memory, cuIpcCloseMemHandle);
SAME(Driver, ipc_show_event, cuIpcGetEventHandle);
SAME(Driver, ipc_open_event, cuIpcOpenEventHandle);
SAME(Driver, host_function, cuLaunchHostFunc);
SAME(Driver, launch, cuLaunchKernel);

SAME(Nvrtc, error_string, nvrtcGetErrorString);
SAME(Nvrtc, architecture_count, nvrtcGetNumSupportedArchs);
SAME(Nvrtc, architectures, nvrtcGetSupportedArchs);
SAME(Nvrtc, create, nvrtcCreateProgram);
SAME(Nvrtc, destroy, nvrtcDestroyProgram);
SAME(Nvrtc, add_name, nvrtcAddNameExpression);
SAME(Nvrtc, compile, nvrtcCompileProgram);
SAME(Nvrtc, log_size, nvrtcGetProgramLogSize);
SAME(Nvrtc, log, nvrtcGetProgramLog);
SAME(Nvrtc, lowered_name, nvrtcGetLoweredName);
SAME(Nvrtc, cubin_size, nvrtcGetCUBINSize);
SAME(Nvrtc, cubin, nvrtcGetCUBIN);
SAME(Nvrtc, ptx_size, nvrtcGetPTXSize);
SAME(Nvrtc, ptx, nvrtcGetPTX);

static_assert(status::success == CUDA_SUCCESS && nvrtc_success == NVRTC_SUCCESS);
static_assert(status::invalid_value == CUDA_ERROR_INVALID_VALUE);
static_assert(status::out_of_memory == CUDA_ERROR_OUT_OF_MEMORY);
static_assert(status::no_device == CUDA_ERROR_NO_DEVICE);
static_assert(status::already_mapped == CUDA_ERROR_ALREADY_MAPPED);
static_assert(status::not_ready == CUDA_ERROR_NOT_READY);
static_assert(status::illegal_address == CUDA_ERROR_ILLEGAL_ADDRESS);
static_assert(status::launch_out_of_resources == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
static_assert(status::memory_already_registered == CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
static_assert(status::memory_not_registered == CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
static_assert(status::launch_failed == CUDA_ERROR_LAUNCH_FAILED);
static_assert(status::not_permitted == CUDA_ERROR_NOT_PERMITTED);
static_assert(status::not_supported == CUDA_ERROR_NOT_SUPPORTED);

constexpr bool is(Attribute own, CUdevice_attribute official) {
  return static_cast<int>(own) == static_cast<int>(official);
}
static_assert(is(Attribute::integrated, CU_DEVICE_ATTRIBUTE_INTEGRATED));
static_assert(is(Attribute::can_map_host_memory, CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY));
static_assert(is(Attribute::major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR));
static_assert(is(Attribute::minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
static_assert(is(Attribute::managed_memory, CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY));
static_assert(is(Attribute::concurrent_managed_access,
                 CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS));
static_assert(is(Attribute::read_only_host_register,
                 CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED));

static_assert(register_portable == CU_MEMHOSTREGISTER_PORTABLE);
static_assert(register_device_map == CU_MEMHOSTREGISTER_DEVICEMAP);
static_assert(register_read_only == CU_MEMHOSTREGISTER_READ_ONLY);
static_assert(stream_non_blocking == CU_STREAM_NON_BLOCKING);
static_assert(event_default == CU_EVENT_DEFAULT);
static_assert(event_without_time == CU_EVENT_DISABLE_TIMING);
static_assert(event_between_processes == CU_EVENT_INTERPROCESS);
static_assert(ipc_default == CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
static_assert(sizeof(IpcHandle) == sizeof(CUipcMemHandle));
static_assert(sizeof(IpcHandle) == sizeof(CUipcEventHandle));
static_assert(attach_global == CU_MEM_ATTACH_GLOBAL && attach_host == CU_MEM_ATTACH_HOST);
static_assert(attach_single == CU_MEM_ATTACH_SINGLE);

}  // namespace
}  // namespace ligament::gpu::cuda
