// SPDX-License-Identifier: Apache-2.0
/// \file What a lost device works on is never given back: nobody knows when it is done.
#pragma once

#include <memory>

namespace ligament::gpu {

/// Leak checkers find it reachable.
void retain_until_exit(std::shared_ptr<void> what);

}  // namespace ligament::gpu
