// SPDX-License-Identifier: Apache-2.0
/// The driver's calls for devices, contexts and modules. Names, types and numbers are those of
/// NVIDIA's header.
#include <dlfcn.h>

#include <cstring>
#include <deque>
#include <string>

#include "objects.hpp"

using namespace twin;

extern "C" {

Status cuInit(unsigned /*flags*/) { return fate_of("cuInit"); }

Status cuDriverGetVersion(int* version) {
  *version = 12040;
  return status::success;
}

Status cuGetErrorName(Status /*number*/, const char** name) {
  *name = "CUDA_ERROR";
  return status::success;
}

Status cuGetErrorString(Status number, const char** text) {
  *text = number == status::illegal_address ? "an illegal memory access was encountered"
          : number == status::out_of_memory ? "out of memory"
                                            : "an error of the twin";
  return status::success;
}

Status cuDeviceGetCount(int* count) {
  *count = is_set_up_as("no-device") ? 0 : 1;
  return fate_of("cuDeviceGetCount");
}

Status cuDeviceGet(cuda::Ordinal* device, int ordinal) {
  *device = ordinal;
  return status::success;
}

Status cuDeviceGetName(char* name, int size, cuda::Ordinal /*device*/) {
  std::strncpy(name, "CUDA twin", static_cast<std::size_t>(size));
  return status::success;
}

Status cuDeviceGetAttribute(int* value, cuda::Attribute attribute, cuda::Ordinal /*device*/) {
  switch (attribute) {
    case cuda::Attribute::integrated:
      *value = is_set_up_as("discrete") ? 0 : 1;
      break;
    case cuda::Attribute::read_only_host_register:
      *value = is_set_up_as("no-read-only") ? 0 : 1;
      break;
    case cuda::Attribute::concurrent_managed_access:
      *value = is_set_up_as("exclusive") ? 0 : 1;
      break;
    case cuda::Attribute::major:
      *value = is_set_up_as("uncached") ? 6 : 8;
      break;
    case cuda::Attribute::minor:
      *value = is_set_up_as("uncached") ? 2 : 7;
      break;
    default:
      *value = 1;
  }
  return status::success;
}

Status cuDeviceTotalMem_v2(std::size_t* bytes, cuda::Ordinal /*device*/) {
  *bytes = memory_bytes();
  return status::success;
}

Status cuDevicePrimaryCtxRetain(cuda::Context* context, cuda::Ordinal /*device*/) {
  *context = only_context();
  return fate_of("cuDevicePrimaryCtxRetain");
}

Status cuDevicePrimaryCtxRelease_v2(cuda::Ordinal /*device*/) { return status::success; }

Status cuCtxSetCurrent(cuda::Context context) {
  const Status fate = injected("cuCtxSetCurrent");
  if (fate == status::success) {
    current_context = context;
  }
  return fate;
}

Status cuCtxGetCurrent(cuda::Context* context) {
  *context = current_context;
  return status::success;
}

Status cuModuleLoadData(cuda::Module* module, const void* image) {
  if (const Status fate = fate_of("cuModuleLoadData"); fate != status::success) {
    return fate;
  }
  void* library = ::dlopen(static_cast<const char*>(image), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return status::invalid_value;
  }
  *module = new cuda::OpaqueModule(library);
  return status::success;
}

Status cuModuleUnload(cuda::Module module) {
  expect_context("cuModuleUnload");
  delete module;  // its code stays: a kernel that does not end may run in it
  return status::success;
}

Status cuModuleGetFunction(cuda::Function* function, cuda::Module module, const char* name) {
  static auto* const all = new std::deque<cuda::OpaqueFunction>;
  const std::lock_guard lock(world().mutex);
  const auto find = [&](const std::string& prefix) {
    return ::dlsym(module->library, (prefix + name).c_str());
  };
  auto* entry = reinterpret_cast<Entry>(find("twin_"));
  const auto* sizes = static_cast<const unsigned*>(find("twin_sizes_"));
  *function = &all->emplace_back(cuda::OpaqueFunction{entry, sizes});
  return entry == nullptr ? status::invalid_value : status::success;
}

}  // extern "C"
