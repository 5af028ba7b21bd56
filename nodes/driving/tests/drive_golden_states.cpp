// SPDX-License-Identifier: Apache-2.0
/// \file What the benches of the cores with a memory are judged by: the kernels of Lane Control, of
/// the traffic light detectors, and of Polyfit, behind plain functions that Python calls.
#include <cmath>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/drive.hpp"
#include "kernels/lane_curve.hpp"
#include "kernels/light.hpp"
#include "kernels/light_watch.hpp"

namespace {

using namespace ligament::nodes::driving;

struct Picture {
  std::uint8_t* data;
  int width;
  int height;
  int channels;
};

cv::Mat mat(const Picture& picture) {
  return {picture.height, picture.width, CV_8UC(picture.channels), picture.data};
}

struct Frame {
  std::int64_t stamp;
  cv::Mat pixels;
  ColourOrder order;
  std::int64_t number;
};

/// What a detector says, as `said` has it.
struct Said {
  std::int64_t stamp, lit, twice_x, twice_y, four_radii, frame;
};

/// LightNode of parts/light_node.hpp without messages: what it says, and which frames wait. Frames
/// are known by numbers: that of the last disc's is said, too.
struct Detector {
  LightWatch watch;
  LightOptions options;
  Disc disc{};
  std::int64_t frame = -1;
  std::deque<Frame> held;
  Said* said = nullptr;

  static constexpr std::size_t kMostHeld = 6;

  Detector(const LightWatch& watches, const LightOptions& of) : watch(watches), options(of) {}

  void say(std::int64_t stamp, bool lit) {
    *said++ = lit ? Said{stamp, 1, disc.twice_x, disc.twice_y, disc.four_radii, frame}
                  : Said{stamp, 0, 0, 0, 0, frame};
  }
  void take(Frame&& coming) {
    std::erase_if(held, [&](const Frame& one) { return begins_anew(one.stamp, coming.stamp); });
    if (held.size() + 1 == kMostHeld) look_at_first();
    held.push_back(std::move(coming));
    look();
  }
  void look() {
    while (!held.empty()) {
      const std::int64_t stamp = held.front().stamp;
      if (const auto lost = watch.lost_before(stamp)) say(*lost, false);
      if (!watch.is_due(stamp)) return;
      look_at_first();
    }
  }
  void look_at_first() {
    const Frame first = std::move(held.front());
    held.pop_front();
    const auto event = watch.on_frame(first.stamp, [&] {
      const auto found = find_disc(first.pixels, first.order, options);
      if (!found) return false;
      disc = *found;
      frame = first.number;
      return true;
    });
    if (event) say(*event, true);
    if (event != first.stamp) say(first.stamp, false);
  }
};

/// LaneControl of lane_control_cpu.cpp without messages: which lanes wait.
struct Control {
  struct Lane {
    std::int64_t stamp;
    std::vector<GroundPoint> points;
  };
  Drive drive;
  std::deque<Lane> waiting;

  static constexpr std::size_t kMostWaiting = 8;

  void take(Lane&& lane) {
    std::erase_if(waiting, [&](const Lane& one) { return begins_anew(one.stamp, lane.stamp); });
    waiting.push_back(std::move(lane));
    if (waiting.size() > kMostWaiting) waiting.pop_front();
  }
  /// Returns how many commands there are.
  int answer(std::int64_t now, double* speed_and_turn) {
    int commands = 0;
    while (!waiting.empty() && drive.is_due(waiting.front().stamp)) {
      const Lane lane = std::move(waiting.front());
      waiting.pop_front();
      commands += told(drive.on_lane(lane.stamp, now, lane.points), speed_and_turn + 2 * commands);
    }
    return commands;
  }

  static int told(const std::optional<Command>& command, double* speed_and_turn) {
    if (!command) return 0;
    speed_and_turn[0] = from_fixed(command->speed);
    speed_and_turn[1] = from_fixed(command->turn);
    return 1;
  }
};

}  // namespace

extern "C" {

/// `lengths`: cruise, look_ahead, slow_in_curves, acceleration, deceleration, turn_limit. `ms`:
/// slow_after, stop_after, light_delay.
void* golden_drive_new(const double* lengths, const std::int64_t* ms) {
  constexpr std::int64_t kMs = 1'000'000;
  return new Control{
      Drive({to_fixed(lengths[0]), to_fixed(lengths[1]), to_fixed(lengths[2]), to_fixed(lengths[3]),
             to_fixed(lengths[4]), to_fixed(lengths[5]), ms[0] * kMs, ms[1] * kMs, ms[2] * kMs}),
      {}};
}
void golden_drive_delete(void* drive) { delete static_cast<Control*>(drive); }

/// `xy`: so many points, as read_lane() of parts/lane_message.hpp takes them. Returns how many
/// commands there are, of frames that waited, too; `commands`: up to 9, speed and turn of each.
int golden_drive_lane(void* of, std::int64_t stamp, std::int64_t now, const float* xy, int count,
                      double* commands) {
  std::vector<GroundPoint> lane;
  for (int i = 0; i < count; ++i) {
    const float x = xy[2 * i];
    const float y = xy[2 * i + 1];
    if (!(std::abs(x) <= 1000 && std::abs(y) <= 1000)) {
      lane.clear();
      break;
    }
    lane.push_back({static_cast<std::int32_t>(to_fixed(static_cast<double>(x))),
                    static_cast<std::int32_t>(to_fixed(static_cast<double>(y)))});
  }
  auto& control = *static_cast<Control*>(of);
  control.take({stamp, std::move(lane)});
  return control.answer(now, commands);
}
/// What the detector of that light says of a frame: `lit`, or that it is done with it.
int golden_drive_light(void* of, int red, int lit, std::int64_t stamp, std::int64_t now,
                       double* commands) {
  auto& control = *static_cast<Control*>(of);
  const Light light = red != 0 ? Light::red : Light::green;
  if (lit != 0) {
    control.drive.on_light(light, stamp);
  } else {
    control.drive.on_light_done(light, stamp);
  }
  return control.answer(now, commands);
}
int golden_drive_tick(void* of, std::int64_t now, double* command) {
  return Control::told(static_cast<Control*>(of)->drive.on_tick(now), command);
}
/// Frames that wait.
int golden_drive_waiting(void* of) {
  return static_cast<int>(static_cast<Control*>(of)->waiting.size());
}

/// `numbers`: hue from and to, saturation from and to, value from, rows_permille, diameter from and
/// to, confirm, alternates.
void* golden_light_new(int begins, const int* n) {
  const LightOptions options{{n[0], n[1], n[2], n[3], n[4], 255}, n[5], n[6], n[7]};
  return new Detector(LightWatch({begins != 0, n[9] != 0, begins != 0, n[8]}), options);
}
void golden_light_delete(void* light) { delete static_cast<Detector*>(light); }

/// Returns how often the detector says something; `said`: what.
int golden_light_frame(void* of, std::int64_t stamp, const Picture* picture, int blue_first,
                       std::int64_t number, Said* said) {
  auto& light = *static_cast<Detector*>(of);
  light.said = said;
  light.take({stamp, mat(*picture).clone(), blue_first != 0 ? ColourOrder::bgr : ColourOrder::rgb,
              number});
  return static_cast<int>(light.said - said);
}
/// What the other detector says of a frame: `lit`, or that it is done with it.
int golden_light_other(void* of, int lit, std::int64_t stamp, Said* said) {
  auto& light = *static_cast<Detector*>(of);
  light.said = said;
  if (lit != 0) {
    light.watch.on_other(stamp);
  } else {
    light.watch.on_other_done(stamp);
  }
  light.look();
  return static_cast<int>(light.said - said);
}

/// `lengths`: near_edge, far_edge, half_width, lane_width, stripe_width. Returns how many points
/// there are; `xy`: theirs, as they are published.
int golden_polyfit(const Picture* mask, const double* lengths, int points, float* xy) {
  const GroundRectangle rectangle{lengths[0], lengths[1], lengths[2], mask->width, mask->height};
  LaneCurveFinder finder(curve_options({lengths[3], lengths[4]}, rectangle, points), rectangle);
  const auto& found = finder.find(mat(*mask));
  for (std::size_t i = 0; i < found.size(); ++i) {
    xy[2 * i] = static_cast<float>(from_fixed(found[i].x));
    xy[2 * i + 1] = static_cast<float>(from_fixed(found[i].y));
  }
  return static_cast<int>(found.size());
}

}  // extern "C"
