// SPDX-License-Identifier: Apache-2.0
/// \file CUDA's driver, found when it is needed: the same binary runs where there is none.
///
/// The few functions and numbers that are used are declared here, so that building needs no CUDA
/// toolkit; tests/gpu/cuda_abi.cpp compares each with NVIDIA's own header.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <ligament/gpu.hpp>
#include <memory>

namespace ligament::gpu::cuda {

// The driver's handles, which nobody but it looks into.
using Context = struct OpaqueContext*;
using Module = struct OpaqueModule*;
using Function = struct OpaqueFunction*;
using Stream = struct OpaqueStream*;
using Event = struct OpaqueEvent*;
using Address = unsigned long long;  // NOLINT(google-runtime-int): as the driver declares it
using Status = int;
using Ordinal = int;

/// By which another process opens memory or an event.
struct IpcHandle {
  std::array<char, 64> bytes{};
};

/// Numbers that the calls return; any other is the driver's to name.
namespace status {
inline constexpr Status success = 0;
inline constexpr Status invalid_value = 1;
inline constexpr Status out_of_memory = 2;
inline constexpr Status no_device = 100;
inline constexpr Status already_mapped = 208;
inline constexpr Status not_ready = 600;
inline constexpr Status illegal_address = 700;
inline constexpr Status launch_out_of_resources = 701;
inline constexpr Status memory_already_registered = 712;
inline constexpr Status memory_not_registered = 713;
inline constexpr Status launch_failed = 719;
inline constexpr Status not_permitted = 800;
inline constexpr Status not_supported = 801;
}  // namespace status

/// What a device is asked.
enum class Attribute : int {
  integrated = 18,
  can_map_host_memory = 19,
  major = 75,
  minor = 76,
  managed_memory = 83,
  concurrent_managed_access = 89,
  read_only_host_register = 113,
};

inline constexpr unsigned register_portable = 0x01;
inline constexpr unsigned register_device_map = 0x02;
inline constexpr unsigned register_read_only = 0x08;
inline constexpr unsigned stream_non_blocking = 0x01;
inline constexpr unsigned event_default = 0x00;
inline constexpr unsigned event_without_time = 0x02;
inline constexpr unsigned event_between_processes = 0x04;
inline constexpr unsigned ipc_default = 0x01;
inline constexpr unsigned attach_global = 0x01;
inline constexpr unsigned attach_host = 0x02;
inline constexpr unsigned attach_single = 0x04;

/// The driver's calls, by their C names without `cu` (and without the `_v2` that some have).
struct Driver {
  using HostFunction = void (*)(void*);

  Status (*init)(unsigned flags);
  Status (*driver_version)(int* version);
  Status (*error_name)(Status status, const char** name);
  Status (*error_string)(Status status, const char** text);
  Status (*device_count)(int* count);
  Status (*device_get)(Ordinal* device, int ordinal);
  Status (*device_name)(char* name, int size, Ordinal device);
  Status (*device_attribute)(int* value, Attribute attribute, Ordinal device);
  Status (*device_memory)(std::size_t* bytes, Ordinal device);
  Status (*primary_retain)(Context* context, Ordinal device);
  Status (*primary_release)(Ordinal device);
  Status (*set_current)(Context context);
  Status (*get_current)(Context* context);
  Status (*module_load)(Module* module, const void* image);
  Status (*module_unload)(Module module);
  Status (*module_function)(Function* function, Module module, const char* name);
  Status (*memory_info)(std::size_t* free, std::size_t* total);
  Status (*allocate)(Address* address, std::size_t size);
  Status (*allocate_managed)(Address* address, std::size_t size, unsigned flags);
  Status (*release)(Address address);
  Status (*host_allocate)(void** host, std::size_t size, unsigned flags);
  Status (*host_release)(void* host);
  Status (*host_register)(void* host, std::size_t size, unsigned flags);
  Status (*host_unregister)(void* host);
  Status (*host_address)(Address* address, void* host, unsigned flags);
  Status (*write)(Address to, const void* from, std::size_t size, Stream stream);
  Status (*read)(void* to, Address from, std::size_t size, Stream stream);
  Status (*fill)(Address to, unsigned char value, std::size_t size, Stream stream);
  Status (*attach)(Stream stream, Address address, std::size_t size, unsigned flags);
  Status (*stream_create)(Stream* stream, unsigned flags);
  Status (*stream_destroy)(Stream stream);
  Status (*stream_wait)(Stream stream, Event event, unsigned flags);
  Status (*event_create)(Event* event, unsigned flags);
  Status (*event_destroy)(Event event);
  Status (*event_record)(Event event, Stream stream);
  Status (*event_query)(Event event);
  Status (*event_synchronize)(Event event);
  Status (*event_elapsed)(float* milliseconds, Event begin, Event end);
  Status (*ipc_show_memory)(IpcHandle* handle, Address address);
  Status (*ipc_open_memory)(Address* address, IpcHandle handle, unsigned flags);
  Status (*ipc_close_memory)(Address address);
  Status (*ipc_show_event)(IpcHandle* handle, Event event);
  Status (*ipc_open_event)(Event* event, IpcHandle handle);
  Status (*host_function)(Stream stream, HostFunction function, void* user_data);
  Status (*launch)(Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                   Stream stream, void** parameters, void** extra);
};

/// LIGAMENT_CUDA_DRIVER, else the system's libcuda. Initialised. Never unloaded.
[[nodiscard]] Result<const Driver*> load_driver();

[[nodiscard]] inline unexpected<Error> failure(ErrorCode code, std::string text) {
  return unexpected<Error>(Error{code, std::move(text)});
}
[[nodiscard]] ErrorCode code_of(Status number);
/// `cuLaunchKernel: an illegal memory access was encountered (700)`.
[[nodiscard]] unexpected<Error> failed(const Driver& driver, const char* call, Status number);
[[nodiscard]] inline Result<void> as_result(const Driver& driver, const char* call, Status number) {
  return number == status::success ? Result<void>() : failed(driver, call, number);
}

}  // namespace ligament::gpu::cuda
