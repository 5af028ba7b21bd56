// SPDX-License-Identifier: Apache-2.0
/// \file What every back-end does with the texts of a program and the arguments of a launch.
#pragma once

#include <functional>
#include <ligament/gpu.hpp>

namespace ligament::gpu {

/// CUDA C++ (`.cu`), which no OpenCL device takes.
[[nodiscard]] bool is_cuda(const Source& source);
/// The text after a line by which the compiler counts this source's own lines, and names it.
[[nodiscard]] std::string with_line(const Source& source);
[[nodiscard]] std::string names_of(const std::vector<Source>& sources);

/// What a launch for changes alone is compared by. `generation_of`: which content a kept buffer
/// has.
[[nodiscard]] Result<std::vector<std::byte>> key_of(
    const Launch& launch, const std::function<std::uint64_t(const Kept&)>& generation_of);

}  // namespace ligament::gpu
