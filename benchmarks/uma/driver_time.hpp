// SPDX-License-Identifier: Apache-2.0
/// \file How much of a launch is the driver's: this program wraps OpenCL's library, and
/// times the calls that a launch makes.
#pragma once

#include <cstdint>

namespace uma {

/// Nanoseconds that this thread has spent in the driver since it last asked.
[[nodiscard]] std::int64_t take_driver_ns();

}  // namespace uma
