// SPDX-License-Identifier: Apache-2.0
/// \file Which back-end runs a program. A new one is a folder beside this file and a line in here.
#include <algorithm>
#include <ligament/gpu.hpp>

#include "gpu/cuda/program.hpp"
#include "gpu/opencl/program.hpp"
#include "gpu/sources.hpp"

namespace ligament::gpu {
namespace {

/// `platform:device`, as OpenCL's devices are named.
bool is_opencls(const std::string& device) {
  const std::size_t colon = device.find(':');
  return colon != std::string::npos && colon > 0 &&
         device.find_first_not_of("0123456789:") == std::string::npos;
}

/// CUDA where it is complete: its driver takes the pool's own memory, which an OpenCL driver for a
/// card need not. But a device that is named in OpenCL's words is OpenCL's.
Backend chosen(const ProgramDescription& description, const Settings& settings) {
  if (settings.backend != Backend::automatic) {
    return settings.backend;
  }
  const bool all_cuda =
      !description.sources.empty() &&
      std::all_of(description.sources.begin(), description.sources.end(), is_cuda);
  return all_cuda || (!is_opencls(settings.device) && cuda::is_usable(settings.device))
             ? Backend::cuda
             : Backend::opencl;
}

}  // namespace

Result<std::unique_ptr<Program>> Program::open(const ProgramDescription& description,
                                               const Settings& settings) {
  return chosen(description, settings) == Backend::cuda
             ? cuda::open_program(description, settings)
             : opencl::open_program(description, settings);
}

}  // namespace ligament::gpu
