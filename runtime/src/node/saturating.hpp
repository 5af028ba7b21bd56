// SPDX-License-Identifier: Apache-2.0
/// \file Points in time that cannot overflow: "never" is a time too.
#pragma once

#include <cstdint>
#include <limits>

namespace ligament::detail {

/// `now_ns` + `span_ns` (not negative), or the last moment there is.
[[nodiscard]] constexpr std::int64_t later(std::int64_t now_ns, std::int64_t span_ns) {
  constexpr std::int64_t last = std::numeric_limits<std::int64_t>::max();
  return now_ns > last - span_ns ? last : now_ns + span_ns;
}

}  // namespace ligament::detail
