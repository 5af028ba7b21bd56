// SPDX-License-Identifier: Apache-2.0
/// \file What a frame's stamp says of it: cameras duplicate frames, and deliver some late. And how
/// far another node is that says when it is done with a frame.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

namespace ligament::nodes::driving {

enum class FrameKind : std::uint8_t {
  fresh,
  repeated,   ///< the last one again
  late,       ///< older than the last one
  restarted,  ///< far older than the last one: the source began anew
};

/// A source that goes back by more than this has begun anew (a recording's loop, a simulator's
/// reset).
inline constexpr std::int64_t kRestartNs = 1'000'000'000;

/// Whether a frame that comes after another is of a source that has begun anew.
[[nodiscard]] constexpr bool begins_anew(std::int64_t before_ns, std::int64_t stamp_ns) {
  return before_ns - stamp_ns > kRestartNs;
}

/// Tells fresh frames by their stamps. The first frame of a source that has begun anew is fresh.
class FrameOrder {
 public:
  [[nodiscard]] FrameKind on_frame(std::int64_t stamp_ns) {
    const std::int64_t back_ns = any_ ? last_ns_ - stamp_ns : -1;
    if (back_ns == 0) return FrameKind::repeated;
    if (back_ns > 0 && back_ns <= kRestartNs) return FrameKind::late;
    any_ = true;
    last_ns_ = stamp_ns;
    return back_ns > 0 ? FrameKind::restarted : FrameKind::fresh;
  }

 private:
  bool any_ = false;
  std::int64_t last_ns_ = 0;
};

/// How far another node is. It says of each frame that it is done with it, in the order of the
/// stamps: what it says later is about later frames. So who needs all it says of a frame can wait
/// for that, and gets the same whoever is faster.
class FrameProgress {
 public:
  void on_done(std::int64_t stamp_ns) {
    const std::int64_t before_ns = done_ns_.value_or(stamp_ns);
    done_ns_ = begins_anew(before_ns, stamp_ns) ? stamp_ns : std::max(stamp_ns, before_ns);
  }
  /// An event of a frame is the last that is said about it. Who says only events is not waited for.
  void on_event(std::int64_t stamp_ns) {
    if (done_ns_) done_ns_ = std::max(*done_ns_, stamp_ns);
  }
  /// The node has gone: nobody waits for it.
  void on_gone() { done_ns_.reset(); }

  /// Whether all has been said about frames up to there; also where nobody says how far he is.
  [[nodiscard]] bool is_done(std::int64_t stamp_ns) const {
    return !done_ns_ || *done_ns_ >= stamp_ns;
  }
  /// The last frame; nothing where nobody says it.
  [[nodiscard]] std::optional<std::int64_t> last() const { return done_ns_; }

 private:
  std::optional<std::int64_t> done_ns_;
};

}  // namespace ligament::nodes::driving
