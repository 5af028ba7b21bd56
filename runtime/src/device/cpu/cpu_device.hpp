// SPDX-License-Identifier: Apache-2.0
/// \file The reference back-end: programs are shared libraries, run by a thread per program.
#pragma once

#include <ligament/device.hpp>
#include <memory>

namespace ligament::device {

/// No settings. Its clock is CLOCK_MONOTONIC_RAW: it truly drifts against CLOCK_MONOTONIC.
[[nodiscard]] Result<std::unique_ptr<Device>> open_cpu(const OpenOptions& options);

}  // namespace ligament::device
