// SPDX-License-Identifier: Apache-2.0
/// \file What a node in hardware counts, for its container's status lines. Not promised.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ligament::detail {

/// A hardware topic whose first publisher the node is. Of the whole topic, whoever published.
struct NetworkCounts {
  std::string topic;
  std::uint64_t frames = 0;
  std::uint64_t beats = 0;
  std::uint64_t stalls = 0;  ///< cycles in which a beat waited
  std::uint64_t gaps = 0;    ///< cycles within a message without a beat
  std::uint64_t drops = 0;   ///< messages dropped, over all subscriptions
  std::uint64_t peak = 0;    ///< most beats in a queue
};

/// Since the node was made.
struct HardwareFigures {
  std::uint64_t messages = 0;  ///< answered
  std::uint64_t refused = 0;   ///< that gave no output
  std::uint64_t cycles = 0;    ///< that it worked
  bool isolated = false;       ///< it hung too often
  std::vector<NetworkCounts> networks;
};

}  // namespace ligament::detail
