// SPDX-License-Identifier: Apache-2.0
/// \file A device as `ligament doctor` tells it.
#pragma once

#include <ligament/gpu.hpp>
#include <string>

#include "gpu/model.hpp"

namespace ligament::gpu {

struct DeviceLine {
  std::string text;
  bool is_usable = false;
};

[[nodiscard]] inline DeviceLine line_of(const std::string& place, const Result<DeviceInfo>& info) {
  return info ? DeviceLine{place + " '" + info->name + "': payloads by " + to_string(info->model) +
                               ", as " + info->why,
                           true}
              : DeviceLine{place + ": " + info.error().text, false};
}

}  // namespace ligament::gpu
