// SPDX-License-Identifier: Apache-2.0
#include "gpu/model.hpp"

#include "entry_of.hpp"

namespace ligament::gpu {

ModelChoice choose_model(const MemoryFacts& facts, Access access) {
  if (facts.is_host) {
    return {Model::zero_copy, "the device is the host's processors"};
  }
  if (!facts.is_shared) {
    return {Model::standard_copy, "the device has memory of its own"};
  }
  if (facts.is_coherent) {
    return {Model::zero_copy, "the device shares the host's memory, and caches stay on"};
  }
  return access == Access::streaming
             ? ModelChoice{Model::zero_copy,
                           "the device shares the host's memory; its caches are off there, which "
                           "kernels that touch each byte once do not feel"}
             : ModelChoice{Model::standard_copy,
                           "the device shares the host's memory, but its caches are off there, and "
                           "the kernels rely on them"};
}

const char* to_string(Model model) {
  return detail::entry_of<Model::unified_memory>(model_names, model);
}

}  // namespace ligament::gpu
