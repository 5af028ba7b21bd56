// SPDX-License-Identifier: Apache-2.0
#include <golden_gain.hpp>

namespace golden {

std::uint32_t scaled(std::uint32_t count, double gain) {
  return static_cast<std::uint32_t>(count * gain);
}

}  // namespace golden
