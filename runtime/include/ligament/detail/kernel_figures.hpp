// SPDX-License-Identifier: Apache-2.0
/// \file What a node with kernels counts, for its container's status lines. Not promised.
#pragma once

#include <cstdint>

namespace ligament::detail {

/// Since the node was made.
struct KernelFigures {
  std::uint64_t launches = 0;
  std::uint64_t refused = 0;  ///< messages that gave no output
  std::uint64_t copies = 0;   ///< payloads written to the device or read back
  std::uint64_t bytes_copied = 0;
  std::uint64_t staged = 0;  ///< of these, such as the host copied once more on the way
  std::uint64_t bytes_staged = 0;
  std::uint64_t imported = 0;  ///< pieces of the pool made known to the device
  std::int64_t import_ns = 0;
  std::int64_t kernel_ns = 0;  ///< time that kernels ran, by the device's clock
};

}  // namespace ligament::detail
