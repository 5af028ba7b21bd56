// SPDX-License-Identifier: Apache-2.0
/// \file What every back-end does with the texts of a program.
#pragma once

#include <ligament/gpu.hpp>

namespace ligament::gpu {

/// CUDA C++ (`.cu`), which no OpenCL device takes.
[[nodiscard]] bool is_cuda(const Source& source);
/// The text after a line by which the compiler counts this source's own lines, and names it.
[[nodiscard]] std::string with_line(const Source& source);
[[nodiscard]] std::string names_of(const std::vector<Source>& sources);

}  // namespace ligament::gpu
