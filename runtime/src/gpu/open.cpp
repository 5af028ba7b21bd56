// SPDX-License-Identifier: Apache-2.0
/// \file Which back-end runs a program. A new one is a folder beside this file and a line in here.
#include <algorithm>
#include <ligament/gpu.hpp>

#include "gpu/cuda/program.hpp"
#include "gpu/opencl/program.hpp"
#include "gpu/sources.hpp"

namespace ligament::gpu {
namespace {

/// CUDA where it is complete: its driver takes the pool's own memory, which an OpenCL driver for a
/// card need not. But a device that is named in OpenCL's words is OpenCL's.
Backend chosen(const ProgramDescription& description, const Settings& settings) {
  if (settings.backend != Backend::automatic) {
    return settings.backend;
  }
  const bool all_cuda =
      !description.sources.empty() &&
      std::all_of(description.sources.begin(), description.sources.end(), is_cuda);
  const bool is_named = !settings.device.empty() && !settings.device.starts_with("cuda:");
  return all_cuda || (!is_named && cuda::is_usable()) ? Backend::cuda : Backend::opencl;
}

}  // namespace

Result<std::unique_ptr<Program>> Program::open(const ProgramDescription& description,
                                               const Settings& settings) {
  return chosen(description, settings) == Backend::cuda
             ? cuda::open_program(description, settings)
             : opencl::open_program(description, settings);
}

}  // namespace ligament::gpu
