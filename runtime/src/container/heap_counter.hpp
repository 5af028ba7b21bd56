// SPDX-License-Identifier: Apache-2.0
/// \file Counts `operator new` per thread, so that "no allocation per message" is a figure that
/// everybody can see in the status lines. Memory from malloc() itself is not counted.
#pragma once

#include "node/node_state.hpp"

namespace ligament::container {

/// Null in builds with a sanitizer, which has its own allocator.
[[nodiscard]] detail::AllocationCounter allocation_counter();

}  // namespace ligament::container
