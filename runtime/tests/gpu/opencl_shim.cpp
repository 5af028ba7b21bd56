// SPDX-License-Identifier: Apache-2.0
#include "opencl_shim.hpp"

#define CL_TARGET_OPENCL_VERSION 200
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <dlfcn.h>

#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>

namespace ligament::gpu::test {
namespace {

/// Memory of the host of which the driver keeps a copy.
struct Copied {
  void* host = nullptr;
  std::size_t size = 0;
  bool is_mapped = false;
};
struct Fault {
  int skipped = 0;
  cl_int number = CL_SUCCESS;
};

struct World {
  std::mutex mutex;
  Looks looks = Looks::itself;
  std::map<std::string, Fault> faults;
  std::map<cl_mem, Copied> copied;
  std::map<std::pair<cl_kernel, cl_uint>, cl_mem> arguments;
  std::set<const void*> shared;       ///< what clSVMAlloc gave
  std::map<cl_event, cl_int> broken;  ///< kernels that end with an error
};
/// Never destroyed: threads of the driver may outlive main.
World& world() {
  static auto* const only = new World;
  return *only;
}

bool is_integrated() {
  return world().looks == Looks::integrated || world().looks == Looks::incoherent;
}

/// The number that a call shall give; CL_SUCCESS: its own.
cl_int fate_of(const char* call) {
  const std::lock_guard lock(world().mutex);
  const auto fault = world().faults.find(call);
  if (fault == world().faults.end() || fault->second.skipped-- > 0) {
    return CL_SUCCESS;
  }
  const cl_int number = fault->second.number;
  world().faults.erase(fault);
  return number;
}

template <typename Call>
Call next(Call /*ours*/, const char* name) {
  return reinterpret_cast<Call>(::dlsym(RTLD_NEXT, name));
}

/// Whether the answer is another one than the device's.
bool seems(cl_device_info what, cl_ulong& value) {
  const Looks looks = world().looks;
  if (looks == Looks::itself) {
    return false;
  }
  if (what == CL_DEVICE_TYPE) {
    value = CL_DEVICE_TYPE_GPU;
    return true;
  }
  if (what == CL_DEVICE_SVM_CAPABILITIES && looks != Looks::integrated) {
    value = CL_DEVICE_SVM_COARSE_GRAIN_BUFFER;
    return true;
  }
  value = CL_FALSE;
  return what == CL_DEVICE_HOST_UNIFIED_MEMORY && looks == Looks::card;
}

}  // namespace

void opencl_looks(Looks looks) { world().looks = looks; }
void opencl_fails(const char* call, int skipped, int number) {
  const std::lock_guard lock(world().mutex);
  world().faults[call] = {skipped, number};
}
void opencl_repair() {
  const std::lock_guard lock(world().mutex);
  world().looks = Looks::itself;
  world().faults.clear();
}

}  // namespace ligament::gpu::test

using namespace ligament::gpu::test;  // NOLINT(google-build-using-namespace): it is one file

#define SHIM __attribute__((visibility("default")))

extern "C" {

SHIM cl_int clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t size, void* value,
                            size_t* needed) {
  static const auto real = next(&clGetDeviceInfo, "clGetDeviceInfo");
  const cl_int status = real(device, what, size, value, needed);
  cl_ulong other = 0;
  if (status == CL_SUCCESS && value != nullptr && seems(what, other)) {
    std::memcpy(value, &other, size < sizeof other ? size : sizeof other);
  }
  return status;
}

SHIM void* clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint alignment) {
  static const auto real = next(&clSVMAlloc, "clSVMAlloc");
  if (fate_of("clSVMAlloc") != CL_SUCCESS) {
    return nullptr;
  }
  void* const made = real(context, flags, size, alignment);
  const std::lock_guard lock(world().mutex);
  world().shared.insert(made);
  return made;
}

SHIM void clSVMFree(cl_context context, void* pointer) {
  static const auto real = next(&clSVMFree, "clSVMFree");
  {
    const std::lock_guard lock(world().mutex);
    world().shared.erase(pointer);
  }
  real(context, pointer);
}

SHIM cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void* host,
                           cl_int* status) {
  static const auto real = next(&clCreateBuffer, "clCreateBuffer");
  *status = fate_of("clCreateBuffer");
  if (*status != CL_SUCCESS) {
    return nullptr;
  }
  const std::lock_guard lock(world().mutex);
  if ((flags & CL_MEM_USE_HOST_PTR) == 0 || !is_integrated() || world().shared.contains(host)) {
    return real(context, flags, size, host, status);
  }
  const cl_mem_flags own = (flags & ~cl_mem_flags{CL_MEM_USE_HOST_PTR}) | CL_MEM_COPY_HOST_PTR;
  const cl_mem made = real(context, own, size, host, status);
  world().copied[made] = {host, size, false};
  return made;
}

SHIM cl_int clReleaseMemObject(cl_mem memory) {
  static const auto real = next(&clReleaseMemObject, "clReleaseMemObject");
  {
    const std::lock_guard lock(world().mutex);
    world().copied.erase(memory);
  }
  return real(memory);
}

SHIM void* clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                              cl_map_flags flags, size_t offset, size_t size, cl_uint waits,
                              const cl_event* list, cl_event* event, cl_int* status) {
  static const auto real = next(&clEnqueueMapBuffer, "clEnqueueMapBuffer");
  static const auto read = next(&clEnqueueReadBuffer, "clEnqueueReadBuffer");
  static const auto mark = next(&clEnqueueMarkerWithWaitList, "clEnqueueMarkerWithWaitList");
  *status = fate_of("clEnqueueMapBuffer");
  if (*status != CL_SUCCESS) {
    return nullptr;
  }
  const std::lock_guard lock(world().mutex);
  const auto found = world().copied.find(buffer);
  if (found == world().copied.end()) {
    return real(queue, buffer, blocking, flags, offset, size, waits, list, event, status);
  }
  Copied& copied = found->second;
  copied.is_mapped = true;
  *status = (flags & CL_MAP_READ) != 0
                ? read(queue, buffer, blocking, offset, size, copied.host, waits, list, event)
                : mark(queue, waits, list, event);
  return copied.host;
}

SHIM cl_int clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem memory, void* mapped,
                                    cl_uint waits, const cl_event* list, cl_event* event) {
  static const auto real = next(&clEnqueueUnmapMemObject, "clEnqueueUnmapMemObject");
  static const auto write = next(&clEnqueueWriteBuffer, "clEnqueueWriteBuffer");
  if (const cl_int fate = fate_of("clEnqueueUnmapMemObject"); fate != CL_SUCCESS) {
    return fate;
  }
  const std::lock_guard lock(world().mutex);
  const auto found = world().copied.find(memory);
  if (found == world().copied.end()) {
    return real(queue, memory, mapped, waits, list, event);
  }
  Copied& copied = found->second;
  if (!std::exchange(copied.is_mapped, false) || mapped != copied.host) {
    return CL_INVALID_VALUE;
  }
  return write(queue, memory, CL_FALSE, 0, copied.size, copied.host, waits, list, event);
}

SHIM cl_int clSetKernelArg(cl_kernel kernel, cl_uint place, size_t size, const void* value) {
  static const auto real = next(&clSetKernelArg, "clSetKernelArg");
  if (const cl_int fate = fate_of("clSetKernelArg"); fate != CL_SUCCESS) {
    return fate;
  }
  const cl_int status = real(kernel, place, size, value);
  cl_mem memory = nullptr;
  if (size == sizeof memory && value != nullptr) {
    std::memcpy(&memory, value, size);  // or a number, which is no buffer's
  }
  const std::lock_guard lock(world().mutex);
  world().arguments[{kernel, place}] = memory;
  return status;
}

SHIM cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                                   const size_t* offset, const size_t* global, const size_t* local,
                                   cl_uint waits, const cl_event* list, cl_event* event) {
  static const auto real = next(&clEnqueueNDRangeKernel, "clEnqueueNDRangeKernel");
  if (const cl_int fate = fate_of("clEnqueueNDRangeKernel"); fate != CL_SUCCESS) {
    return fate;
  }
  {
    const std::lock_guard lock(world().mutex);
    for (const auto& [place, memory] : world().arguments) {
      const auto found = world().copied.find(memory);
      if (place.first == kernel && found != world().copied.end() && found->second.is_mapped) {
        return CL_INVALID_OPERATION;
      }
    }
  }
  const cl_int status = real(queue, kernel, dimensions, offset, global, local, waits, list, event);
  if (const cl_int fate = fate_of("kernel"); fate != CL_SUCCESS && status == CL_SUCCESS) {
    const std::lock_guard lock(world().mutex);
    world().broken[*event] = fate;
  }
  return status;
}

SHIM cl_int clGetEventInfo(cl_event event, cl_event_info what, size_t size, void* value,
                           size_t* needed) {
  static const auto real = next(&clGetEventInfo, "clGetEventInfo");
  const cl_int status = real(event, what, size, value, needed);
  const std::lock_guard lock(world().mutex);
  const auto broken = world().broken.find(event);
  if (what == CL_EVENT_COMMAND_EXECUTION_STATUS && broken != world().broken.end()) {
    std::memcpy(value, &broken->second, sizeof broken->second);
    world().broken.erase(broken);
  }
  return status;
}

SHIM cl_int clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                 size_t offset, size_t size, const void* from, cl_uint waits,
                                 const cl_event* list, cl_event* event) {
  static const auto real = next(&clEnqueueWriteBuffer, "clEnqueueWriteBuffer");
  const cl_int fate = fate_of("clEnqueueWriteBuffer");
  return fate != CL_SUCCESS ? fate
                            : real(queue, buffer, blocking, offset, size, from, waits, list, event);
}

SHIM cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                size_t offset, size_t size, void* to, cl_uint waits,
                                const cl_event* list, cl_event* event) {
  static const auto real = next(&clEnqueueReadBuffer, "clEnqueueReadBuffer");
  const cl_int fate = fate_of("clEnqueueReadBuffer");
  return fate != CL_SUCCESS ? fate
                            : real(queue, buffer, blocking, offset, size, to, waits, list, event);
}

SHIM cl_int clEnqueueSVMMemcpy(cl_command_queue queue, cl_bool blocking, void* to, const void* from,
                               size_t size, cl_uint waits, const cl_event* list, cl_event* event) {
  static const auto real = next(&clEnqueueSVMMemcpy, "clEnqueueSVMMemcpy");
  const cl_int fate = fate_of("clEnqueueSVMMemcpy");
  return fate != CL_SUCCESS ? fate : real(queue, blocking, to, from, size, waits, list, event);
}

SHIM cl_int clEnqueueFillBuffer(cl_command_queue queue, cl_mem buffer, const void* pattern,
                                size_t pattern_size, size_t offset, size_t size, cl_uint waits,
                                const cl_event* list, cl_event* event) {
  static const auto real = next(&clEnqueueFillBuffer, "clEnqueueFillBuffer");
  const cl_int fate = fate_of("clEnqueueFillBuffer");
  return fate != CL_SUCCESS
             ? fate
             : real(queue, buffer, pattern, pattern_size, offset, size, waits, list, event);
}

SHIM cl_int clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint waits, const cl_event* list,
                                        cl_event* event) {
  static const auto real = next(&clEnqueueMarkerWithWaitList, "clEnqueueMarkerWithWaitList");
  const cl_int fate = fate_of("clEnqueueMarkerWithWaitList");
  return fate != CL_SUCCESS ? fate : real(queue, waits, list, event);
}

SHIM cl_int clSetEventCallback(cl_event event, cl_int type,
                               void(CL_CALLBACK* call)(cl_event, cl_int, void*), void* data) {
  static const auto real = next(&clSetEventCallback, "clSetEventCallback");
  const cl_int fate = fate_of("clSetEventCallback");
  return fate != CL_SUCCESS ? fate : real(event, type, call, data);
}

}  // extern "C"
