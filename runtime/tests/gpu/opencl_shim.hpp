// SPDX-License-Identifier: Apache-2.0
/// \file A layer between the library and OpenCL's own: the device looks like another one, and calls
/// fail. Found before OpenCL's functions, as the test's program comes first.
#pragma once

#include <cstdint>

namespace ligament::gpu::test {

/// What the first device seems to be.
enum class Looks : std::uint8_t {
  itself,
  /// A GPU in the host's memory, whose caches stay on. Its driver keeps a copy of memory that it is
  /// given in place, as OpenCL allows: host and kernels see each other's writes by map and unmap
  /// alone, and a kernel on memory that is mapped is an error.
  integrated,
  incoherent,  ///< the same, with caches off
  card,        ///< a GPU with memory of its own
};

void opencl_looks(Looks looks);
/// The next call of this name, after `skipped` others, gives this number; "kernel": the next kernel
/// that is launched ends with it.
void opencl_fails(const char* call, int skipped, int number);
/// Looks like itself, and nothing fails.
void opencl_repair();

}  // namespace ligament::gpu::test
