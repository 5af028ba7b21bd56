// SPDX-License-Identifier: Apache-2.0
#include "gpu/opencl/handle.hpp"

namespace ligament::gpu::opencl {
namespace {

const char* sentence(cl_int number) {
  switch (number) {
    case CL_DEVICE_NOT_AVAILABLE:
      return "the device is not available";
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
      return "the device has no memory left for a buffer";
    case CL_OUT_OF_RESOURCES:
      return "the device is out of resources";
    case CL_OUT_OF_HOST_MEMORY:
      return "the driver got no memory from the host";
    case CL_INVALID_COMMAND_QUEUE:
      return "the command queue is gone";
    case CL_INVALID_WORK_GROUP_SIZE:
      return "the local size does not suit the device or does not divide the global size";
    case CL_INVALID_WORK_ITEM_SIZE:
      return "a local size is larger than the device allows";
    case CL_INVALID_GLOBAL_WORK_SIZE:
      return "a global size is larger than the device allows";
    case CL_INVALID_BUFFER_SIZE:
      return "a buffer is larger than the device allows";
    case CL_INVALID_HOST_PTR:
      return "the device refuses this memory";
    default:
      return "see the OpenCL specification for this number";
  }
}

}  // namespace

ErrorCode code_of(cl_int number) {
  switch (number) {
    case CL_DEVICE_NOT_AVAILABLE:
    case CL_INVALID_COMMAND_QUEUE:
    case CL_INVALID_CONTEXT:
      return ErrorCode::device_lost;
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_OUT_OF_HOST_MEMORY:
    case CL_INVALID_BUFFER_SIZE:
      return ErrorCode::out_of_memory;
    default:
      return ErrorCode::launch_failed;
  }
}

unexpected<Error> failed(const char* call, cl_int number) {
  return failure(code_of(number),
                 std::string(call) + ": " + sentence(number) + " (" + std::to_string(number) + ")");
}

}  // namespace ligament::gpu::opencl
