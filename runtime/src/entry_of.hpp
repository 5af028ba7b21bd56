// SPDX-License-Identifier: Apache-2.0
/// \file What is known of each value of an enumeration, as a table in the order of its values.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace ligament::detail {

/// `last` of the values: without an entry for each of them it does not compile. What is none of
/// them gets the last entry.
template <auto last, typename Entry, std::size_t n>
[[nodiscard]] constexpr const Entry& entry_of(const std::array<Entry, n>& table,
                                              decltype(last) value) {
  static_assert(n == static_cast<std::size_t>(last) + 1, "one entry for each value");
  return table[static_cast<std::size_t>(std::min(value, last))];
}

}  // namespace ligament::detail
