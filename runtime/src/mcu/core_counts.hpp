// SPDX-License-Identifier: Apache-2.0
/// \file What a core has refused, end by end (spec/device/mcu.md, section 3), and where that lies:
/// in the ring behind RPMsg's area, which is there with and without --trace.
#pragma once

#include <ligament/mcu_trace.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <ligament/expected.hpp>
#include <memory>
#include <string>
#include <utility>

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
  /// How many more messages an end has refused since the last call. More than `most` makes no
  /// sense: then it is 0, and counted as wrong. Ends beyond LIGAMENT_TRACE_ENDS have no count: 0.
  [[nodiscard]] std::uint32_t more(std::size_t end, std::uint64_t most);
  [[nodiscard]] std::uint64_t wrong() const { return wrong_; }

 private:
  std::shared_ptr<ligament_trace_ring_t> ring_;
  std::array<std::uint32_t, LIGAMENT_TRACE_ENDS> seen_{};
  std::uint64_t wrong_ = 0;
};

}  // namespace ligament::mcu
