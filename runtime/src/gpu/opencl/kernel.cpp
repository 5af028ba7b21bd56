// SPDX-License-Identifier: Apache-2.0
#include "gpu/opencl/kernel.hpp"

#include <array>
#include <utility>

namespace ligament::gpu::opencl {
namespace {

constexpr std::array<std::pair<std::string_view, NumberType>, 14> number_types{{
    {"char", NumberType::int8},
    {"uchar", NumberType::uint8},
    {"unsigned char", NumberType::uint8},
    {"short", NumberType::int16},
    {"ushort", NumberType::uint16},
    {"unsigned short", NumberType::uint16},
    {"int", NumberType::int32},
    {"uint", NumberType::uint32},
    {"unsigned int", NumberType::uint32},
    {"long", NumberType::int64},
    {"ulong", NumberType::uint64},
    {"unsigned long", NumberType::uint64},
    {"float", NumberType::float32},
    {"double", NumberType::float64},
}};

NumberType number_type(std::string_view name) {
  for (const auto& [known, type] : number_types) {
    if (known == name) {
      return type;
    }
  }
  return NumberType::none;
}

const char* to_string(ArgumentKind kind) {
  switch (kind) {
    case ArgumentKind::number:
      return "a number";
    case ArgumentKind::input:
      return "bytes that it reads";
    case ArgumentKind::output:
      return "bytes that it writes";
    case ArgumentKind::values:
      return "an array of numbers";
    case ArgumentKind::buffer:
      return "a buffer";
  }
  return "an argument";
}

cl_uint count_of(cl_kernel kernel) {
  cl_uint count = 0;
  (void)clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, nullptr);
  return count;
}

}  // namespace

Result<Kernel> Kernel::find(cl_program program, const KernelDescription& expected) {
  cl_int status = CL_SUCCESS;
  Kernel kernel;
  kernel.name_ = expected.name;
  kernel.handle_ = KernelHandle(clCreateKernel(program, expected.name.c_str(), &status));
  if (status != CL_SUCCESS) {
    return failure(
        ErrorCode::kernel_mismatch,
        "the sources define no kernel '" + expected.name + "'; there are: " +
            text_of(clGetProgramInfo, program, cl_program_info{CL_PROGRAM_KERNEL_NAMES}));
  }
  const cl_uint count = count_of(kernel.get());
  if (count != expected.arguments.size()) {
    return failure(ErrorCode::kernel_mismatch,
                   "kernel '" + expected.name + "' has " + std::to_string(count) +
                       " parameters, and the manifest gives " +
                       std::to_string(expected.arguments.size()) + " arguments");
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (auto checked = kernel.check(i, expected.arguments[i]); !checked) {
      return unexpected<Error>(checked.error());
    }
  }
  return kernel;
}

Result<void> Kernel::check(std::size_t index, ArgumentKind expected) {
  const auto place = static_cast<cl_uint>(index);
  cl_kernel_arg_address_qualifier space = CL_KERNEL_ARG_ADDRESS_PRIVATE;
  (void)clGetKernelArgInfo(get(), place, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space, &space,
                           nullptr);
  const auto type =
      text_of(clGetKernelArgInfo, get(), place, cl_kernel_arg_info{CL_KERNEL_ARG_TYPE_NAME});
  const auto number = number_type(type);
  const bool is_buffer =
      space == CL_KERNEL_ARG_ADDRESS_GLOBAL || space == CL_KERNEL_ARG_ADDRESS_CONSTANT;
  const bool fits =
      expected == ArgumentKind::number ? !is_buffer && number != NumberType::none : is_buffer;
  if (!fits) {
    const auto name =
        text_of(clGetKernelArgInfo, get(), place, cl_kernel_arg_info{CL_KERNEL_ARG_NAME});
    return failure(ErrorCode::kernel_mismatch, "parameter " + std::to_string(index + 1) + " ('" +
                                                   name + "') of kernel '" + name_ + "' is a " +
                                                   type + ", and the manifest gives " +
                                                   to_string(expected));
  }
  types_.push_back(is_buffer ? NumberType::none : number);
  return {};
}

template <typename T>
Result<void> Kernel::set(std::size_t index, T value) {
  const cl_int status = clSetKernelArg(get(), static_cast<cl_uint>(index), sizeof value, &value);
  return status == CL_SUCCESS ? Result<void>() : failed("clSetKernelArg", status);
}

template <typename T>
Result<void> Kernel::set_integer(std::size_t index, std::int64_t value) {
  if (!std::in_range<T>(value)) {
    return failure(ErrorCode::launch_failed, std::to_string(value) + " does not fit parameter " +
                                                 std::to_string(index + 1) + " of kernel '" +
                                                 name_ + "'");
  }
  return set(index, static_cast<T>(value));
}

Result<void> Kernel::set_buffer(std::size_t index, cl_mem buffer) { return set(index, buffer); }

Result<void> Kernel::set_number(std::size_t index, std::int64_t value) {
  switch (types_[index]) {
    case NumberType::int8:
      return set_integer<std::int8_t>(index, value);
    case NumberType::uint8:
      return set_integer<std::uint8_t>(index, value);
    case NumberType::int16:
      return set_integer<std::int16_t>(index, value);
    case NumberType::uint16:
      return set_integer<std::uint16_t>(index, value);
    case NumberType::int32:
      return set_integer<std::int32_t>(index, value);
    case NumberType::uint32:
      return set_integer<std::uint32_t>(index, value);
    case NumberType::int64:
      return set(index, value);
    case NumberType::uint64:
      return set_integer<std::uint64_t>(index, value);
    case NumberType::float32:
      return set(index, static_cast<float>(value));
    case NumberType::float64:
      return set(index, static_cast<double>(value));
    case NumberType::none:
      break;
  }
  return failure(ErrorCode::kernel_mismatch, "a number for a buffer of kernel '" + name_ + "'");
}

Result<void> Kernel::set_number(std::size_t index, double value) {
  switch (types_[index]) {
    case NumberType::float32:
      return set(index, static_cast<float>(value));
    case NumberType::float64:
      return set(index, value);
    default:
      return failure(ErrorCode::kernel_mismatch,
                     "parameter " + std::to_string(index + 1) + " of kernel '" + name_ +
                         "' is a whole number, and the manifest gives a fraction; write int(...)");
  }
}

}  // namespace ligament::gpu::opencl
