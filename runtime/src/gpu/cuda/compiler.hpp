// SPDX-License-Identifier: Apache-2.0
/// \file NVIDIA's run-time compiler (NVRTC), which needs neither a device nor a driver.
///
/// CUDA C++ (`.cu`) is compiled as it stands. OpenCL C is compiled with a few lines before it
/// (opencl_c.hpp) and, for each kernel, an entry after it: CUDA's grids are whole blocks, OpenCL's
/// index spaces are exact, so the entry leaves out what is beyond.
#pragma once

#include <ligament/gpu.hpp>
#include <string>
#include <vector>

#include "gpu/cuda/signature.hpp"

namespace ligament::gpu::cuda {

/// A device's compute capability: 8.7 is 87.
using Architecture = int;

struct CompiledKernel {
  std::string name;
  std::string entry;  ///< what the module calls it
  std::vector<Parameter> parameters;
  bool takes_sizes = false;  ///< three more parameters: the index space, 64 bits each
};

struct Compiled {
  std::vector<char> image;  ///< machine code; PTX where the device is newer than the compiler
  std::vector<CompiledKernel> kernels;
};

/// Compiles, and compares signatures with the manifest's.
[[nodiscard]] Result<Compiled> compile(const ProgramDescription& description,
                                       Architecture architecture);
/// Whether there is a compiler, and what to install where there is none.
[[nodiscard]] Result<void> find_compiler();

}  // namespace ligament::gpu::cuda
