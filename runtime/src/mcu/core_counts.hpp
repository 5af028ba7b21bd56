// SPDX-License-Identifier: Apache-2.0
/// \file What a core leaves for the host behind RPMsg's area (ligament/mcu_trace.h): where it lies,
/// and the messages that its nodes' inputs dropped. They are counted with and without --trace.
#pragma once

#include <ligament/mcu_trace.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <ligament/expected.hpp>
#include <memory>
#include <string>

#include "rpmsg/area.hpp"

namespace ligament::mcu {

/// `offset`: of the area in the memory. Unmapped with its last owner.
[[nodiscard]] expected<std::shared_ptr<ligament_trace_ring_t>, std::string> map_ring(
    int memory, std::uint64_t offset, const rpmsg::Map& map);

/// Called by one thread at a time.
class CoreCounts {
 public:
  explicit CoreCounts(std::shared_ptr<ligament_trace_ring_t> ring) : ring_(std::move(ring)) {
    reset();
  }
  /// Another start of the core: what was counted before is of another life.
  void reset();
  /// Tells what has been dropped since: an input by its place among those of all nodes, or
  /// LIGAMENT_TRACE_INPUTS - 1 for all from there on; and how many. The core may write anything: no
  /// more than 2^32 at once.
  void read(const std::function<void(std::size_t input, std::uint32_t count)>& tell);

 private:
  std::shared_ptr<ligament_trace_ring_t> ring_;
  std::array<std::uint32_t, LIGAMENT_TRACE_INPUTS> told_{};
};

}  // namespace ligament::mcu
