// SPDX-License-Identifier: Apache-2.0
/// \file What a frame's stamp says of it: cameras duplicate frames, and deliver some late.
#pragma once

#include <cstdint>
#include <optional>

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
    const auto last = last_ns_;
    if (last && stamp_ns == *last) return FrameKind::repeated;
    const bool back = last && stamp_ns < *last;
    if (back && *last - stamp_ns <= kRestart) return FrameKind::late;
    last_ns_ = stamp_ns;
    return back ? FrameKind::restarted : FrameKind::fresh;
  }
  [[nodiscard]] std::optional<std::int64_t> last_ns() const { return last_ns_; }

 private:
  static constexpr std::int64_t kRestart = 1'000'000'000;
  std::optional<std::int64_t> last_ns_;
};

}  // namespace ligament::nodes::driving
