// SPDX-License-Identifier: Apache-2.0
/// \file When a traffic light counts as red or green, and which of the two detectors looks for it.
///
/// The detectors take turns: red seen, so look for green; green seen, so look for red. An event is
/// known by its stamp, that of the frame in which it was seen; of two events the one with the later
/// stamp holds. So an event may arrive twice, or late, and an event that was lost is made up for:
///
///   - a red detector that waits for green announces its event again with each frame,
///   - a green detector that hears of a red older than its own event announces that again.
///
/// A detector of which nobody hears the other (the red one of the smaller graph) always looks, and
/// announces with each frame in which it sees its light.
///
/// A frame is looked at when all is known that the other detector says of what was before: for
/// green, of frames up to this one; for red, of frames before it (`is_due`). So each run gives the
/// same events for the same frames, whoever is faster. A detector that does not say which frames it
/// is done with, or has gone, is not waited for.
///
/// A light counts as seen when `confirm` of the last 8 fresh frames show it: a lamp that flickers
/// is seen, a spot in single frames is not. Frames that come twice or late count once.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "kernels/frame_order.hpp"

namespace ligament::nodes::driving {

struct WatchOptions {
  bool begins = true;      ///< looks from the start; the green detector waits for a red
  bool alternates = true;  ///< waits for the other after an event
  bool repeats = true;     ///< announces its event with each frame while it waits
  int confirm = 3;
};

class LightWatch {
 public:
  explicit LightWatch(const WatchOptions& options) : options_(options), looks_(options.begins) {}

  [[nodiscard]] bool looks() const { return looks_; }

  /// The other detector's event: it counts in the order of the stamps, not of the arrivals.
  void on_other(std::int64_t stamp_ns) {
    progress_.on_event(stamp_ns);
    const auto place = std::lower_bound(others_.begin(), others_.end(), stamp_ns);
    if (place != others_.end() && *place == stamp_ns) return;
    others_.insert(place, stamp_ns);
    if (others_.size() > kMostOthers) hear_first();
  }
  /// The other detector is done with a frame.
  void on_other_done(std::int64_t stamp_ns) { progress_.on_done(stamp_ns); }
  void on_other_gone() { progress_.on_gone(); }

  /// Whether the other detector has said all that counts for a frame.
  [[nodiscard]] bool is_due(std::int64_t stamp_ns) const {
    return progress_.is_done(options_.begins ? last_ns_ : stamp_ns);
  }
  /// A frame before this one that only the other detector got: this one is done with it, too.
  /// Without that, each would wait for the other's word on a frame that it never sees.
  [[nodiscard]] std::optional<std::int64_t> lost_before(std::int64_t stamp_ns) const {
    const auto other = progress_.last();
    return other && *other > last_ns_ && *other < stamp_ns ? other : std::nullopt;
  }

  /// A frame. `sees()` is asked only while this detector looks. Returns the stamp to announce.
  template <typename Sees>
  std::optional<std::int64_t> on_frame(std::int64_t stamp_ns, const Sees& sees) {
    const FrameKind kind = order_.on_frame(stamp_ns);
    if (kind == FrameKind::repeated || kind == FrameKind::late) return std::nullopt;
    if (kind == FrameKind::restarted) begin_anew(stamp_ns);
    last_ns_ = stamp_ns;
    bool again = options_.repeats;
    while (!others_.empty() && others_.front() <= stamp_ns - (options_.begins ? 1 : 0)) {
      again = hear_first() || again;
    }
    if (!looks_) return again ? event() : std::nullopt;
    history_ = static_cast<std::uint8_t>(history_ << 1);
    if (sees()) history_ |= 1U;
    if (std::popcount(history_) < options_.confirm) return std::nullopt;
    // Green is not announced for a frame that counts as red: nobody would heed it.
    if (!options_.begins && stamp_ns <= other_ns_) return std::nullopt;
    event_ns_ = stamp_ns;
    if (options_.alternates) {
      looks_ = false;
      history_ = 0;
    }
    return event();
  }

 private:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::min();
  static constexpr std::size_t kMostOthers = 32;

  [[nodiscard]] std::optional<std::int64_t> event() const {
    if (event_ns_ == kNever) return std::nullopt;
    return event_ns_;
  }
  /// The first event of the other. Returns whether the own one has to be announced again: it is
  /// later, so the other did not hear of it.
  bool hear_first() {
    const std::int64_t stamp_ns = others_.front();
    others_.erase(others_.begin());
    other_ns_ = std::max(other_ns_, stamp_ns);
    // Of red and green in one frame red holds: so for green, an equal stamp is a later event.
    if (options_.begins ? stamp_ns <= event_ns_ : stamp_ns < event_ns_) return !options_.begins;
    if (!looks_) history_ = 0;
    looks_ = true;
    return false;
  }
  /// What is later than the source's first frame by so much is of the time before.
  void begin_anew(std::int64_t stamp_ns) {
    std::erase_if(others_, [&](std::int64_t other) { return other > stamp_ns + kRestartNs; });
    event_ns_ = kNever;
    other_ns_ = kNever;
    history_ = 0;
    looks_ = options_.begins;
  }

  WatchOptions options_;
  bool looks_;
  std::uint8_t history_ = 0;
  std::int64_t event_ns_ = kNever;
  std::int64_t other_ns_ = kNever;    ///< the latest that was heard
  std::int64_t last_ns_ = kNever;     ///< the last frame
  std::vector<std::int64_t> others_;  ///< the other's events whose frame has not come, by stamp
  FrameProgress progress_;
  FrameOrder order_;
};

}  // namespace ligament::nodes::driving
