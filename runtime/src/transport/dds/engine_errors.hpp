// SPDX-License-Identifier: Apache-2.0
/// \file What the engine says went wrong, where its return code is the same for everything.
#pragma once

#include <functional>
#include <string>

namespace ligament::dds {

/// The errors that the engine tells while `step` runs, as one line; empty if there are none. They
/// go to standard error as well, as ever.
[[nodiscard]] std::string errors_during(const std::function<void()>& step);

}  // namespace ligament::dds
