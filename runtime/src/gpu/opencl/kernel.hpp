// SPDX-License-Identifier: Apache-2.0
/// \file A compiled kernel with the types of its arguments, as its own signature gives them.
#pragma once

#include "gpu/opencl/memory.hpp"
#include "gpu/parameter.hpp"

namespace ligament::gpu::opencl {

class Kernel {
 public:
  /// Finds the kernel and compares its signature with the manifest's.
  [[nodiscard]] static Result<Kernel> find(cl_program program, const KernelDescription& expected);

  [[nodiscard]] cl_kernel get() const { return handle_.get(); }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::size_t argument_count() const { return parameters_.size(); }
  [[nodiscard]] Result<void> set_buffer(std::size_t index, cl_mem buffer);
  /// A number that does not fit the parameter's type is refused.
  [[nodiscard]] Result<void> set_number(std::size_t index, std::int64_t value);
  [[nodiscard]] Result<void> set_number(std::size_t index, double value);

 private:
  [[nodiscard]] Result<void> set(std::size_t index, const Result<EncodedNumber>& number);

  KernelHandle handle_;
  std::string name_;
  std::vector<Parameter> parameters_;
};

}  // namespace ligament::gpu::opencl
