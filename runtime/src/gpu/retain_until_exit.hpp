// SPDX-License-Identifier: Apache-2.0
/// \file What a lost device works on is never given back: nobody knows when it is done.
#pragma once

#include <cstddef>
#include <memory>

namespace ligament::gpu {

/// Leak checkers find it reachable.
void retain_until_exit(std::shared_ptr<void> what);
[[nodiscard]] std::size_t retained_until_exit();

}  // namespace ligament::gpu
