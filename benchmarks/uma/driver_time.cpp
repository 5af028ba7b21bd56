// SPDX-License-Identifier: Apache-2.0
#include "driver_time.hpp"

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>

#include <ligament/detail/pool.hpp>
#include <utility>

namespace uma {
namespace {

thread_local std::int64_t spent_ns = 0;

template <typename Call, typename... Arguments>
cl_int timed(Call real, Arguments... arguments) {
  const std::int64_t begin = ligament::pool::monotonic_now_ns();
  const cl_int status = real(arguments...);
  spent_ns += ligament::pool::monotonic_now_ns() - begin;
  return status;
}

/// The library's own.
template <typename Call>
Call next(Call /*ours*/, const char* name) {
  return reinterpret_cast<Call>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

std::int64_t take_driver_ns() { return std::exchange(spent_ns, 0); }

}  // namespace uma

// Found before the library's, as the program comes first.
extern "C" {
__attribute__((visibility("default"))) cl_int CL_API_CALL
clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                       const size_t* offset, const size_t* global, const size_t* local,
                       cl_uint waits, const cl_event* list, cl_event* event) {
  static const auto real = uma::next(&clEnqueueNDRangeKernel, "clEnqueueNDRangeKernel");
  return uma::timed(real, queue, kernel, dimensions, offset, global, local, waits, list, event);
}
__attribute__((visibility("default"))) cl_int CL_API_CALL clFlush(cl_command_queue queue) {
  static const auto real = uma::next(&clFlush, "clFlush");
  return uma::timed(real, queue);
}
__attribute__((visibility("default"))) cl_int CL_API_CALL clSetKernelArg(cl_kernel kernel,
                                                                         cl_uint index, size_t size,
                                                                         const void* value) {
  static const auto real = uma::next(&clSetKernelArg, "clSetKernelArg");
  return uma::timed(real, kernel, index, size, value);
}
}
