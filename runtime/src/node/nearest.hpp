// SPDX-License-Identifier: Apache-2.0
/// \file "did you mean": the known name that is nearest to a mistyped one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ligament::detail {

/// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// ` (did you mean 'x'?)` for a name close enough to be a slip, else nothing.
[[nodiscard]] std::string did_you_mean(std::string_view name,
                                       const std::vector<std::string>& known);

/// `'a', 'b'`, or `none`.
[[nodiscard]] std::string listing(const std::vector<std::string>& names);

}  // namespace ligament::detail
