// SPDX-License-Identifier: Apache-2.0
#include "gpu/opencl/kernel.hpp"

namespace ligament::gpu::opencl {
namespace {

Parameter parameter_at(cl_kernel kernel, cl_uint place) {
  cl_kernel_arg_address_qualifier space = CL_KERNEL_ARG_ADDRESS_PRIVATE;
  (void)clGetKernelArgInfo(kernel, place, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space, &space,
                           nullptr);
  Parameter parameter;
  parameter.name =
      text_of(clGetKernelArgInfo, kernel, place, cl_kernel_arg_info{CL_KERNEL_ARG_NAME});
  parameter.type =
      text_of(clGetKernelArgInfo, kernel, place, cl_kernel_arg_info{CL_KERNEL_ARG_TYPE_NAME});
  parameter.is_buffer =
      space == CL_KERNEL_ARG_ADDRESS_GLOBAL || space == CL_KERNEL_ARG_ADDRESS_CONSTANT;
  parameter.number = parameter.is_buffer ? NumberType::none : number_type(parameter.type);
  return parameter;
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
  cl_uint count = 0;
  (void)clGetKernelInfo(kernel.get(), CL_KERNEL_NUM_ARGS, sizeof count, &count, nullptr);
  for (cl_uint i = 0; i < count; ++i) {
    kernel.parameters_.push_back(parameter_at(kernel.get(), i));
  }
  if (auto checked = check_parameters(expected, kernel.parameters_); !checked) {
    return unexpected<Error>(checked.error());
  }
  return kernel;
}

Result<void> Kernel::set_buffer(std::size_t index, cl_mem buffer) {
  const cl_int status = clSetKernelArg(get(), static_cast<cl_uint>(index), sizeof buffer, &buffer);
  return status == CL_SUCCESS ? Result<void>() : failed("clSetKernelArg", status);
}

Result<void> Kernel::set(std::size_t index, const Result<EncodedNumber>& number) {
  if (!number) {
    return unexpected<Error>(number.error());
  }
  const cl_int status =
      clSetKernelArg(get(), static_cast<cl_uint>(index), number->size, number->bytes.data());
  return status == CL_SUCCESS ? Result<void>() : failed("clSetKernelArg", status);
}

Result<void> Kernel::set_number(std::size_t index, std::int64_t value) {
  return set(index, encode(value, parameters_[index].number, {name_, index}));
}

Result<void> Kernel::set_number(std::size_t index, double value) {
  return set(index, encode(value, parameters_[index].number, {name_, index}));
}

}  // namespace ligament::gpu::opencl
