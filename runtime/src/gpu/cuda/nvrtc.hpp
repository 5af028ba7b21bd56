// SPDX-License-Identifier: Apache-2.0
/// \file NVRTC's calls, found when they are needed; compared with NVIDIA's own header by
/// tests/gpu/cuda_abi.cpp.
#pragma once

#include <cstddef>
#include <ligament/gpu.hpp>

namespace ligament::gpu::cuda {

using NvrtcProgram = struct OpaqueNvrtcProgram*;
using NvrtcStatus = int;
inline constexpr NvrtcStatus nvrtc_success = 0;

/// By their C names without `nvrtc`.
struct Nvrtc {
  const char* (*error_string)(NvrtcStatus status);
  NvrtcStatus (*architecture_count)(int* count);
  NvrtcStatus (*architectures)(int* all);
  NvrtcStatus (*create)(NvrtcProgram* program, const char* text, const char* name, int headers,
                        const char* const* header_texts, const char* const* header_names);
  NvrtcStatus (*destroy)(NvrtcProgram* program);
  NvrtcStatus (*add_name)(NvrtcProgram program, const char* name);
  NvrtcStatus (*compile)(NvrtcProgram program, int options, const char* const* texts);
  NvrtcStatus (*log_size)(NvrtcProgram program, std::size_t* size);
  NvrtcStatus (*log)(NvrtcProgram program, char* text);
  NvrtcStatus (*lowered_name)(NvrtcProgram program, const char* name, const char** lowered);
  NvrtcStatus (*cubin_size)(NvrtcProgram program, std::size_t* size);
  NvrtcStatus (*cubin)(NvrtcProgram program, char* image);
  NvrtcStatus (*ptx_size)(NvrtcProgram program, std::size_t* size);
  NvrtcStatus (*ptx)(NvrtcProgram program, char* image);
};

/// LIGAMENT_NVRTC, else the toolkit's. Never unloaded.
[[nodiscard]] Result<const Nvrtc*> load_nvrtc();

}  // namespace ligament::gpu::cuda
