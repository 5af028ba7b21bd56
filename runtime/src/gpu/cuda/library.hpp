// SPDX-License-Identifier: Apache-2.0
/// \file A shared library that may be missing.
#pragma once

#include <ligament/expected.hpp>
#include <string>

namespace ligament::gpu::cuda {

/// What the variable of the environment says, else `otherwise`.
[[nodiscard]] std::string library_path(const char* variable, const char* otherwise);
/// By path or name. Never closed: what it gave out may be used until the process ends.
[[nodiscard]] expected<void*, std::string> open_library(const std::string& path);

}  // namespace ligament::gpu::cuda
