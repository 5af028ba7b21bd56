// SPDX-License-Identifier: Apache-2.0
/// \file What a node in hardware counts, for its container's status lines. Not promised.
#pragma once

#include <cstdint>
#include <optional>
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

/// A gateway that the node serves (spec/device/gateway.md).
struct GatewayCounts {
  std::string topic;
  std::uint64_t sent = 0;      ///< messages from software that reached the hardware
  std::uint64_t stored = 0;    ///< messages from hardware that reached the pool
  std::uint64_t filtered = 0;  ///< frames from software that came round to the way back
  std::uint64_t failed = 0;    ///< messages of either direction that did not arrive
};

/// A design's memory port (hdl/rtl/lig_port_stats.sv).
struct PortCounts {
  std::uint64_t busy = 0;    ///< cycles in which something was asked for
  std::uint64_t reads = 0;   ///< beats read
  std::uint64_t writes = 0;  ///< beats written
};

/// A stream of the node's core, in cycles of the design.
struct StreamCounts {
  std::string port;
  bool is_input = false;
  bool in_memory = false;  ///< its other end: an entry or exit; else it is a topic on the chip
  std::uint64_t beats = 0;
  std::uint64_t stalls = 0;  ///< a beat waited
  std::uint64_t gaps = 0;    ///< within a message without a beat
};

/// Since the node was made.
struct HardwareFigures {
  std::uint64_t messages = 0;  ///< answered
  std::uint64_t refused = 0;   ///< that gave no output
  std::uint64_t left = 0;      ///< that were not answered when its process was asked to stop
  std::uint64_t cycles = 0;    ///< that it worked
  bool isolated = false;       ///< it hung too often
  std::string device;
  std::uint64_t design_cycles = 0;  ///< in which its design owed anything
  std::uint64_t held = 0;           ///< of these: nobody took what it said
  std::uint64_t starved = 0;        ///< else: it waited for the rest of a message or a set
  std::uint64_t full = 0;           ///< else: an input waited for it
  std::vector<StreamCounts> streams;
  std::vector<NetworkCounts> networks;
  std::vector<GatewayCounts> gateways;
  std::optional<PortCounts> port;  ///< of the design; its first node tells it
};

}  // namespace ligament::detail
