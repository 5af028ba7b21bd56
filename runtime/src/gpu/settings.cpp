// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <ligament/gpu.hpp>

namespace ligament::gpu {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

}  // namespace

Result<Settings> settings_from_environment() {
  Settings settings;
  settings.device = environment("LIGAMENT_GPU_DEVICE");
  const std::string model = environment("LIGAMENT_GPU_MODEL");
  if (model == "zero_copy") {
    settings.model = Model::zero_copy;
  } else if (model == "standard_copy") {
    settings.model = Model::standard_copy;
  } else if (!model.empty() && model != "automatic") {
    return unexpected<Error>(Error{
        ErrorCode::setting,
        "LIGAMENT_GPU_MODEL is '" + model + "'; there are automatic, zero_copy and standard_copy"});
  }
  return settings;
}

}  // namespace ligament::gpu
