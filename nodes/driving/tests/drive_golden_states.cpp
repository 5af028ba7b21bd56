// SPDX-License-Identifier: Apache-2.0
/// \file What the benches of the cores with a memory are judged by: the kernels of Lane Control, of
/// the traffic light detectors, and of Polyfit, behind plain functions that Python calls.
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
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

struct Detector {
  LightWatch watch;
  LightOptions options;
  Disc disc;
};

int told(const std::optional<Command>& command, double* speed_and_turn) {
  if (!command) return 0;
  speed_and_turn[0] = from_fixed(command->speed);
  speed_and_turn[1] = from_fixed(command->turn);
  return 1;
}

int told(const Detector& light, const std::optional<std::int64_t>& event, std::int64_t* stamp,
         int* disc) {
  if (!event) return 0;
  *stamp = *event;
  disc[0] = light.disc.twice_x;
  disc[1] = light.disc.twice_y;
  disc[2] = light.disc.four_radii;
  return 1;
}

}  // namespace

extern "C" {

/// `lengths`: cruise, look_ahead, slow_in_curves, acceleration, deceleration, turn_limit. `ms`:
/// slow_after, stop_after, light_delay.
void* golden_drive_new(const double* lengths, const std::int64_t* ms) {
  constexpr std::int64_t kMs = 1'000'000;
  return new Drive({to_fixed(lengths[0]), to_fixed(lengths[1]), to_fixed(lengths[2]),
                    to_fixed(lengths[3]), to_fixed(lengths[4]), to_fixed(lengths[5]), ms[0] * kMs,
                    ms[1] * kMs, ms[2] * kMs});
}
void golden_drive_delete(void* drive) { delete static_cast<Drive*>(drive); }

/// `xy`: so many points, as read_lane() of parts/lane_message.hpp takes them.
int golden_drive_lane(void* drive, std::int64_t stamp, std::int64_t now, const float* xy, int count,
                      double* command) {
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
  return told(static_cast<Drive*>(drive)->on_lane(stamp, now, lane), command);
}
void golden_drive_light(void* drive, int red, std::int64_t stamp) {
  static_cast<Drive*>(drive)->on_light(red != 0 ? Light::red : Light::green, stamp);
}
int golden_drive_tick(void* drive, std::int64_t now, double* command) {
  return told(static_cast<Drive*>(drive)->on_tick(now), command);
}

/// `numbers`: hue from and to, saturation from and to, value from, rows_permille, diameter from and
/// to, confirm, alternates.
void* golden_light_new(int begins, const int* n) {
  const LightOptions options{{n[0], n[1], n[2], n[3], n[4], 255}, n[5], n[6], n[7]};
  return new Detector{LightWatch({begins != 0, n[9] != 0, begins != 0, n[8]}), options, {}};
}
void golden_light_delete(void* light) { delete static_cast<Detector*>(light); }

int golden_light_frame(void* of, std::int64_t stamp, const Picture* picture, int blue_first,
                       std::int64_t* event, int* disc) {
  auto& light = *static_cast<Detector*>(of);
  const auto announced = light.watch.on_frame(stamp, [&] {
    const auto found = find_disc(
        mat(*picture), blue_first != 0 ? ColourOrder::bgr : ColourOrder::rgb, light.options);
    if (found) light.disc = *found;
    return found.has_value();
  });
  return told(light, announced, event, disc);
}
int golden_light_other(void* of, std::int64_t stamp, std::int64_t* event, int* disc) {
  auto& light = *static_cast<Detector*>(of);
  return told(light, light.watch.on_other(stamp), event, disc);
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
