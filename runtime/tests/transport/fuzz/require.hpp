// SPDX-License-Identifier: Apache-2.0
/// What a fuzzer of the edge expects of each input.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <span>

using Bytes = std::span<const std::byte>;

inline void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}
