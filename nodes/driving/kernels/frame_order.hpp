// SPDX-License-Identifier: Apache-2.0
/// \file What a frame's stamp says of it: cameras duplicate frames, and deliver some late.
#pragma once

#include <cstdint>

namespace ligament::nodes::driving {

enum class FrameKind : std::uint8_t {
  fresh,
  repeated,   ///< the last one again
  late,       ///< older than the last one
  restarted,  ///< far older than the last one: the source began anew
};

/// Tells fresh frames by their stamps. A source that goes back by more than a second has begun
/// anew (a recording's loop, a simulator's reset): its first frame counts as fresh.
class FrameOrder {
 public:
  [[nodiscard]] FrameKind on_frame(std::int64_t stamp_ns) {
    const std::int64_t back_ns = any_ ? last_ns_ - stamp_ns : -1;
    if (back_ns == 0) return FrameKind::repeated;
    if (back_ns > 0 && back_ns <= kRestart) return FrameKind::late;
    any_ = true;
    last_ns_ = stamp_ns;
    return back_ns > 0 ? FrameKind::restarted : FrameKind::fresh;
  }

 private:
  static constexpr std::int64_t kRestart = 1'000'000'000;
  bool any_ = false;
  std::int64_t last_ns_ = 0;
};

}  // namespace ligament::nodes::driving
