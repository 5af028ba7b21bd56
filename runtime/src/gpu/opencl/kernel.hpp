// SPDX-License-Identifier: Apache-2.0
/// \file A compiled kernel with the types of its arguments, as its own signature gives them.
#pragma once

#include <string_view>

#include "gpu/opencl/memory.hpp"

namespace ligament::gpu::opencl {

/// The kinds of number that a kernel's parameter may be.
enum class NumberType : std::uint8_t {
  int8,
  uint8,
  int16,
  uint16,
  int32,
  uint32,
  int64,
  uint64,
  float32,
  float64,
  none
};

class Kernel {
 public:
  /// Finds the kernel and compares its signature with the manifest's.
  [[nodiscard]] static Result<Kernel> find(cl_program program, const KernelDescription& expected);

  [[nodiscard]] cl_kernel get() const { return handle_.get(); }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::size_t argument_count() const { return types_.size(); }
  [[nodiscard]] Result<void> set_buffer(std::size_t index, cl_mem buffer);
  /// A number that does not fit the parameter's type is refused.
  [[nodiscard]] Result<void> set_number(std::size_t index, std::int64_t value);
  [[nodiscard]] Result<void> set_number(std::size_t index, double value);

 private:
  [[nodiscard]] Result<void> check(std::size_t index, ArgumentKind expected);
  template <typename T>
  [[nodiscard]] Result<void> set(std::size_t index, T value);
  template <typename T>
  [[nodiscard]] Result<void> set_integer(std::size_t index, std::int64_t value);

  KernelHandle handle_;
  std::string name_;
  std::vector<NumberType> types_;  ///< none: a buffer
};

}  // namespace ligament::gpu::opencl
