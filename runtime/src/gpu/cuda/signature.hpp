// SPDX-License-Identifier: Apache-2.0
/// \file The kernels that a text defines, with their parameters: CUDA tells of a compiled kernel
/// neither types nor names.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/parameter.hpp"

namespace ligament::gpu::cuda {

struct Signature {
  std::string name;
  std::vector<Parameter> parameters;
};

/// `__kernel void name(...)` and `__global__ void name(...)`, in their order, declarations
/// included. Comments do not count; what macros make is not seen.
[[nodiscard]] std::vector<Signature> signatures_of(std::string_view text);
[[nodiscard]] std::optional<Signature> find_signature(const std::vector<Signature>& all,
                                                      std::string_view name);

}  // namespace ligament::gpu::cuda
