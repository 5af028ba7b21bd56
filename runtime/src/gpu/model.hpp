// SPDX-License-Identifier: Apache-2.0
/// \file Which device model is used where nobody asks for one: one table for all back-ends, and the
/// same that `ligament map` has (mapping/device_models.py, spec/device/gpu.md).
#pragma once

#include <array>
#include <ligament/gpu.hpp>
#include <string>

namespace ligament::gpu {

/// What a device says of itself.
struct MemoryFacts {
  bool is_host = false;      ///< kernels run on the processors themselves
  bool is_shared = false;    ///< its memory is the host's, and kernels reach the pool's
  bool is_coherent = false;  ///< caches stay on for such memory, on both sides
};

struct ModelChoice {
  Model model = Model::standard_copy;  ///< never automatic
  std::string why;
};

[[nodiscard]] ModelChoice choose_model(const MemoryFacts& facts, Access access);

/// The words of settings and files, in the order of Model.
inline constexpr std::array<const char*, 4> model_names{"automatic", "zero_copy", "standard_copy",
                                                        "unified_memory"};
[[nodiscard]] const char* to_string(Model model);

}  // namespace ligament::gpu
