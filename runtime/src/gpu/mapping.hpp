// SPDX-License-Identifier: Apache-2.0
/// \file Which mapping of this process an address lies in.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace ligament::gpu {

struct ProcessMapping {
  std::byte* base = nullptr;
  std::size_t size = 0;
  bool is_shared = false;
  bool is_writable = false;
};

/// The one that holds all of these bytes, as /proc/self/maps has it.
[[nodiscard]] std::optional<ProcessMapping> mapping_of(std::span<const std::byte> bytes);

}  // namespace ligament::gpu
