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
/// A light counts as seen when `confirm` of the last 8 fresh frames show it: a lamp that flickers
/// is seen, a spot in single frames is not. Frames that come twice or late count once.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <optional>

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

  /// The other detector's event. Returns the own event's stamp if that has to be announced again.
  std::optional<std::int64_t> on_other(std::int64_t stamp_ns) {
    other_ns_ = std::max(other_ns_, stamp_ns);
    // Of red and green in one frame red holds: so for green, an equal stamp is a later event.
    if (options_.begins ? stamp_ns <= event_ns_ : stamp_ns < event_ns_) {
      return options_.begins ? std::nullopt : event();
    }
    if (!looks_) history_ = 0;
    looks_ = true;
    return std::nullopt;
  }

  /// A frame. `sees()` is asked only while this detector looks. Returns the stamp to announce.
  template <typename Sees>
  std::optional<std::int64_t> on_frame(std::int64_t stamp_ns, const Sees& sees) {
    const FrameKind kind = order_.on_frame(stamp_ns);
    if (kind == FrameKind::repeated || kind == FrameKind::late) return std::nullopt;
    if (kind == FrameKind::restarted) begin_anew();
    if (!looks_) return options_.repeats ? event() : std::nullopt;
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

  [[nodiscard]] std::optional<std::int64_t> event() const {
    if (event_ns_ == kNever) return std::nullopt;
    return event_ns_;
  }
  void begin_anew() {
    event_ns_ = kNever;
    other_ns_ = kNever;
    history_ = 0;
    looks_ = options_.begins;
  }

  WatchOptions options_;
  bool looks_;
  std::uint8_t history_ = 0;
  std::int64_t event_ns_ = kNever;
  std::int64_t other_ns_ = kNever;  ///< the latest that was heard
  FrameOrder order_;
};

}  // namespace ligament::nodes::driving
