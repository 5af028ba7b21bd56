// SPDX-License-Identifier: Apache-2.0
/// \file OpenCL's reference-counted handles as move-only objects, and its numbers as sentences.
#pragma once

// 2.0 for shared virtual memory; queues are made as in 1.2, which every driver has.
#define CL_TARGET_OPENCL_VERSION 200
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

#include <ligament/gpu.hpp>
#include <string>
#include <utility>

namespace ligament::gpu::opencl {

template <typename T, cl_int (*release)(T)>
class Handle {
 public:
  Handle() = default;
  explicit Handle(T raw) : raw_(raw) {}
  ~Handle() { reset(); }
  Handle(Handle&& other) noexcept : raw_(std::exchange(other.raw_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    reset();
    raw_ = std::exchange(other.raw_, nullptr);
    return *this;
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  [[nodiscard]] T get() const { return raw_; }
  /// For calls that fill it in; only of an empty one.
  [[nodiscard]] T* out() { return &raw_; }
  void reset() {
    if (raw_ != nullptr) {
      (void)release(raw_);
      raw_ = nullptr;
    }
  }

 private:
  T raw_ = nullptr;
};

using ContextHandle = Handle<cl_context, &clReleaseContext>;
using QueueHandle = Handle<cl_command_queue, &clReleaseCommandQueue>;
using ProgramHandle = Handle<cl_program, &clReleaseProgram>;
using KernelHandle = Handle<cl_kernel, &clReleaseKernel>;
using Buffer = Handle<cl_mem, &clReleaseMemObject>;
using EventHandle = Handle<cl_event, &clReleaseEvent>;

/// What to do about a number that an OpenCL call returned.
[[nodiscard]] ErrorCode code_of(cl_int number);
/// `clFinish: out of resources (-5)`.
[[nodiscard]] unexpected<Error> failed(const char* call, cl_int number);
[[nodiscard]] inline unexpected<Error> failure(ErrorCode code, std::string text) {
  return unexpected<Error>(Error{code, std::move(text)});
}

/// A text that an OpenCL query gives; empty where it gives none.
template <typename Query, typename... Arguments>
[[nodiscard]] std::string text_of(Query query, Arguments... arguments) {
  std::size_t size = 0;
  if (query(arguments..., 0, nullptr, &size) != CL_SUCCESS || size == 0) {
    return {};
  }
  std::string text(size, '\0');
  if (query(arguments..., size, text.data(), nullptr) != CL_SUCCESS) {
    return {};
  }
  return text.substr(0, text.find('\0'));
}

}  // namespace ligament::gpu::opencl
