// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace golden {

/// The count that leaves the filter.
std::uint32_t scaled(std::uint32_t count, double gain);

}  // namespace golden
