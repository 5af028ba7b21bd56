// SPDX-License-Identifier: Apache-2.0
// The driving nodes' kernels with their default parameters, as C functions for ctypes. A process is
// one node, so what a node keeps from frame to frame is static here. Pictures are rgb8 without
// padding: 640x480, and 1000x600 from above.
#include <opencv2/imgproc.hpp>
#include <optional>

#include "kernels/compensation.hpp"
#include "kernels/drive.hpp"
#include "kernels/ground_view.hpp"
#include "kernels/lane_centre.hpp"
#include "kernels/light.hpp"
#include "kernels/light_watch.hpp"
#include "kernels/road_scene.hpp"

namespace {

using namespace ligament::nodes::driving;

constexpr std::int64_t kPeriod = 1'000'000'000 / 30;
const MountedCamera kCamera;
const GroundRectangle kShown;
const cv::Size kPicture(kCamera.width, kCamera.height);
const cv::Size kView(kShown.columns, kShown.rows);

/// Over the caller's bytes: nothing is copied. OpenCV has no matrix of constant bytes.
cv::Mat over(cv::Size size, const std::uint8_t* bytes) {
  return {size, CV_8UC3, const_cast<std::uint8_t*>(bytes)};
}

/// What driving/lane_following makes of its default parameters.
struct Search {
  GroundScale scale{kShown};
  int first_row = scale.row_of(0.23 + 0.03);
  int last_row = scale.row_of(0.23 - 0.03);
  LaneFinder finder{shape(scale), kView.width};
  std::vector<std::uint8_t> classes = std::vector<std::uint8_t>(1000);

  static LaneShape shape(const GroundScale& scale) {
    LaneShape made;
    made.stripe.width_from = std::max(1, scale.columns_of(0.4 * 0.03));
    made.stripe.width_to = scale.columns_of(2.5 * 0.03);
    made.lane_width = scale.columns_of(0.30);
    made.lane_width_from = scale.columns_of(0.30 / 1.5);
    made.lane_width_to = scale.columns_of(0.30 * 1.6);
    made.window = std::max(2, scale.columns_of(1.4 * 0.03));
    return made;
  }
};

LightOptions light_options(bool is_red) {
  LightOptions options;
  options.colour =
      is_red ? ColourRange{.hue_from = 340, .hue_to = 15, .saturation_from = 120, .value_from = 150}
             : ColourRange{.hue_from = 90, .hue_to = 170, .saturation_from = 80, .value_from = 150};
  options.diameter_from = is_red ? 9 : 5;
  return options;
}

LightWatch& watch(bool is_red) {
  static LightWatch watching({.begins = is_red, .alternates = !is_red, .repeats = is_red});
  return watching;
}

Drive& drive() {
  static Drive driving{DriveOptions{}};
  return driving;
}

}  // namespace

extern "C" {

/// One process is one node, which gets one of the machine's cores, as the graph's nodes do.
void driving_begin() { cv::setNumThreads(1); }

/// Moves the robot by one period, and draws what it sees then; returns the frame's stamp.
std::int64_t driving_draw(double speed, double turn, std::uint8_t* out) {
  static const Track track;
  static Pose pose = pose_at(track, 0.2);
  static std::int64_t frame = 0;
  if (frame > 0) pose = moved(pose, speed, turn, static_cast<double>(kPeriod) * 1e-9);
  const Lamp lamp = frame < 60 ? Lamp::off : frame < 150 ? Lamp::red : Lamp::green;
  cv::Mat picture = over(kPicture, out);
  draw_road(track, kCamera, pose, lamp, picture);
  return 1'000'000'000 + frame++ * kPeriod;
}

void driving_compensate(const std::uint8_t* in, std::uint8_t* out) {
  cv::Mat result = over(kPicture, out);
  compensate(over(kPicture, in), ColourOrder::rgb, {}, result);
}

void driving_blur(const std::uint8_t* in, std::uint8_t* out) {
  cv::Mat result = over(kPicture, out);
  cv::GaussianBlur(over(kPicture, in), result, {5, 5}, 0);
}

void driving_project(const std::uint8_t* in, std::uint8_t* out) {
  static const auto view = GroundView::create(kCamera, kShown);
  cv::Mat result = over(kView, out);
  view->warp(over(kPicture, in), result);
}

/// Returns whether a lane was seen, and its middle in Q16 m.
int driving_follow(const std::uint8_t* in, std::int32_t* point) {
  static Search search;
  const cv::Mat picture = over(kView, in);
  search.finder.begin(search.last_row - search.first_row);
  for (int row = search.first_row; row < search.last_row; ++row) {
    classify(StripeColours{}, ColourOrder::rgb, picture.ptr<std::uint8_t>(row), search.classes);
    search.finder.add_row(search.classes);
  }
  const auto centre = search.finder.finish();
  if (!centre) return 0;
  const std::int64_t twice_row = search.first_row + search.last_row - 1;
  const GroundPoint found = search.scale.point(centre->column_q8 * 256, twice_row << 15);
  point[0] = found.x;
  point[1] = found.y;
  return 1;
}

/// `point`: null where no lane was seen. Returns whether there is a command: m/s, rad/s.
int driving_control(std::int64_t stamp, const std::int32_t* point, double* command) {
  const GroundPoint lane = point != nullptr ? GroundPoint{point[0], point[1]} : GroundPoint{};
  const auto found = drive().on_lane(stamp, stamp, {&lane, point != nullptr ? 1U : 0U});
  if (!found) return 0;
  command[0] = from_fixed(found->speed);
  command[1] = from_fixed(found->turn);
  return 1;
}

void driving_on_light(int is_red, std::int64_t stamp) {
  drive().on_light(is_red != 0 ? Light::red : Light::green, stamp);
}

/// Returns the stamp of the event to announce, or -1.
std::int64_t driving_look(int is_red, std::int64_t stamp, const std::uint8_t* in) {
  const LightOptions options = light_options(is_red != 0);
  return watch(is_red != 0)
      .on_frame(
          stamp,
          [&] { return find_disc(over(kPicture, in), ColourOrder::rgb, options).has_value(); })
      .value_or(-1);
}

void driving_on_other(int is_red, std::int64_t stamp) { (void)watch(is_red != 0).on_other(stamp); }
}
