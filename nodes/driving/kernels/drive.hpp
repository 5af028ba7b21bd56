// SPDX-License-Identifier: Apache-2.0
/// \file Lane Control: from the lane's middle and the traffic light to speed and turn rate.
///
/// Steering is pure pursuit (R. C. Coulter, "Implementation of the pure pursuit path tracking
/// algorithm", CMU-RI-TR-92-01, 1992): the circle through the robot, tangent to its heading, and
/// through the goal (x, y) on the lane's middle has the curvature 2 y / (x^2 + y^2). The goal is
/// the lane's middle at `look_ahead`, between the two points around it. The turn rate is the speed
/// times the curvature. In curves the speed is cruise / (1 + slow_in_curves |curvature|).
///
/// What bounds the speed, in all cases through a ramp that brakes at `deceleration`:
///
///   no fresh lane for `slow_after`   falls in a straight line to nothing at `stop_after`
///   a red light                      nothing, until green
///   nobody looks for red lights      nothing, until somebody does: a light may be red now
///   a start, or the light turned     rises at `acceleration`
///
/// Fresh means: a frame with a later stamp, in which the lane was seen. Frames that come twice or
/// late change nothing. Everything depends on stamps and on the times that are passed in: the same
/// calls give the same commands. And a frame that waits until it `is_due` gets the same command
/// whoever was faster, its lane or the lights. Numbers are Q16: metres, m/s, rad/s, 1/m.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>

#include "kernels/frame_order.hpp"
#include "kernels/ground_scale.hpp"
#include "kernels/light_events.hpp"

namespace ligament::nodes::driving {

struct DriveOptions {
  std::int64_t cruise = to_fixed(0.20);
  std::int64_t look_ahead = to_fixed(0.23);
  std::int64_t slow_in_curves = to_fixed(0.10);
  std::int64_t acceleration = to_fixed(0.40);
  std::int64_t deceleration = to_fixed(1.0);
  std::int64_t turn_limit = to_fixed(2.84);  ///< what a TurtleBot3 burger's wheels can do
  std::int64_t slow_after_ns = 200'000'000;
  std::int64_t stop_after_ns = 600'000'000;
  std::int64_t light_delay_ns = 100'000'000;
};

struct Command {
  std::int64_t speed = 0;  ///< ahead, Q16 m/s
  std::int64_t turn = 0;   ///< to the left, Q16 rad/s
  bool operator==(const Command&) const = default;
};

/// The lane's middle `look_ahead` from the robot, between the two points around it; of points that
/// are all nearer or all farther, the last or the first. Points come in the order of their x.
[[nodiscard]] inline GroundPoint goal_on(std::span<const GroundPoint> lane,
                                         std::int64_t look_ahead) {
  std::size_t next = 0;
  while (next < lane.size() && lane[next].x < look_ahead) ++next;
  if (next == 0) return lane.front();
  if (next == lane.size()) return lane.back();
  const GroundPoint& a = lane[next - 1];
  const GroundPoint& b = lane[next];
  const std::int64_t part = (look_ahead - a.x) * (std::int64_t{b.y} - a.y);
  return {static_cast<std::int32_t>(look_ahead),
          static_cast<std::int32_t>(a.y + divide_rounded(part, std::int64_t{b.x} - a.x))};
}

/// 2 y / (x^2 + y^2) in Q16. A goal nearer than 1 cm says nothing: straight on.
[[nodiscard]] inline std::int64_t pursuit_curvature(const GroundPoint& goal) {
  const std::int64_t square = std::int64_t{goal.x} * goal.x + std::int64_t{goal.y} * goal.y;
  if (square < to_fixed(0.0001, 32)) return 0;
  return divide_rounded((std::int64_t{2} * goal.y) * (std::int64_t{1} << 32), square);
}

class Drive {
 public:
  explicit Drive(const DriveOptions& options)
      : options_(options), lights_(options.light_delay_ns) {}

  /// A frame's lane, empty where none was seen, at the time `now`. Nothing: the frame is not new.
  std::optional<Command> on_lane(std::int64_t stamp_ns, std::int64_t now_ns,
                                 std::span<const GroundPoint> lane) {
    const FrameKind kind = order_.on_frame(stamp_ns);
    if (kind == FrameKind::repeated || kind == FrameKind::late) return std::nullopt;
    if (kind == FrameKind::restarted) begin_anew();
    heard_ns_ = now_ns;
    if (!lane.empty()) {
      curvature_ = pursuit_curvature(goal_on(lane, options_.look_ahead));
      seen_ns_ = stamp_ns;
    }
    const std::int64_t step_ns = frame_ns_ ? stamp_ns - *frame_ns_ : 0;
    frame_ns_ = stamp_ns;
    is_red_ = lights_.light_at(stamp_ns) == Light::red;
    return command(step_ns, seen_ns_ ? stamp_ns - *seen_ns_ : options_.stop_after_ns);
  }

  /// A light's event: holds for frames from its stamp and `light_delay` on. One from the future is
  /// of another run.
  void on_light(Light light, std::int64_t stamp_ns) {
    if (frame_ns_ && stamp_ns > *frame_ns_ + kFuture) return;
    lights_.add({stamp_ns, light});
    progress(light).on_event(stamp_ns);
  }

  /// The detector of that light is done with a frame: what it says later is about later frames.
  void on_light_done(Light light, std::int64_t stamp_ns) { progress(light).on_done(stamp_ns); }
  /// The detector of that light has gone, or another has taken its place: nobody waits for it.
  void on_light_gone(Light light) { progress(light).on_gone(); }

  /// Whether the detectors have said all that counts for a frame. A detector that does not say
  /// which frames it is done with is not waited for.
  [[nodiscard]] bool is_due(std::int64_t stamp_ns) const {
    const std::int64_t needed = stamp_ns - options_.light_delay_ns;
    return std::ranges::all_of(progress_, [&](const auto& one) { return one.is_done(needed); });
  }

  /// Whether somebody looks for red lights, where somebody did.
  void on_detector(bool alive) { is_blind_ = !alive; }

  /// Called at intervals. A command where frames stay away: then nobody else sends one.
  std::optional<Command> on_tick(std::int64_t now_ns) {
    const std::int64_t step_ns = tick_ns_ ? now_ns - *tick_ns_ : 0;
    tick_ns_ = now_ns;
    // Nothing was heard yet, or the clock went back: silence begins now.
    if (!heard_ns_ || now_ns < *heard_ns_) heard_ns_ = now_ns;
    const std::int64_t silence = now_ns - *heard_ns_;
    if (silence <= options_.slow_after_ns) return std::nullopt;
    // The lane is as old as it was in the last frame, and the silence since then.
    const std::int64_t age = seen_ns_ ? *frame_ns_ - *seen_ns_ : options_.stop_after_ns;
    return command(step_ns, age + silence);
  }

  [[nodiscard]] bool is_red() const { return is_red_; }

 private:
  static constexpr std::int64_t kFuture = kRestartNs;
  static constexpr std::int64_t kLongestStep = 100'000'000;

  FrameProgress& progress(Light light) { return progress_[static_cast<std::size_t>(light)]; }

  void begin_anew() {
    lights_.clear();
    seen_ns_.reset();
    frame_ns_.reset();
    is_red_ = false;
    speed_ = 0;
  }

  /// What the age of the last lane allows.
  [[nodiscard]] std::int64_t trusted(std::int64_t speed, std::int64_t age_ns) const {
    if (age_ns <= options_.slow_after_ns) return speed;
    if (age_ns >= options_.stop_after_ns) return 0;
    return speed * (options_.stop_after_ns - age_ns) /
           (options_.stop_after_ns - options_.slow_after_ns);
  }

  Command command(std::int64_t step_ns, std::int64_t age_ns) {
    const std::int64_t step = std::clamp(step_ns, std::int64_t{0}, kLongestStep);
    const std::int64_t slow =
        65536 + shift_rounded(options_.slow_in_curves * std::abs(curvature_), 16);
    const std::int64_t cruise = divide_rounded(options_.cruise * 65536, slow);
    const std::int64_t wanted = is_red_ || is_blind_ ? 0 : trusted(cruise, age_ns);
    const std::int64_t up = speed_ + options_.acceleration * step / 1'000'000'000;
    const std::int64_t down = speed_ - options_.deceleration * step / 1'000'000'000;
    // Without a lane nobody knows what lies ahead: then the bound holds at once.
    speed_ = age_ns >= options_.stop_after_ns ? 0
                                              : std::clamp(wanted, std::max(down, std::int64_t{0}),
                                                           std::max(up, std::int64_t{0}));
    const std::int64_t turn = shift_rounded(speed_ * curvature_, 16);
    return {speed_, std::clamp(turn, -options_.turn_limit, options_.turn_limit)};
  }

  DriveOptions options_;
  FrameOrder order_;
  LightEvents lights_;
  std::array<FrameProgress, 2> progress_;  ///< of the detectors, by their light
  std::int64_t curvature_ = 0;
  std::int64_t speed_ = 0;
  bool is_red_ = false;
  bool is_blind_ = false;
  std::optional<std::int64_t> seen_ns_;   ///< stamp of the last frame with a lane
  std::optional<std::int64_t> frame_ns_;  ///< stamp of the last frame
  std::optional<std::int64_t> heard_ns_;  ///< when that came, on the node's clock
  std::optional<std::int64_t> tick_ns_;
};

}  // namespace ligament::nodes::driving
