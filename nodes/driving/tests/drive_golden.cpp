// SPDX-License-Identifier: Apache-2.0
/// \file What the benches of the driving nodes' pixel cores are judged by: the kernels of the CPU
/// nodes, behind plain functions that Python calls. drive_bench.py compiles it.
#include <cmath>
#include <cstdint>
#include <cstring>

#include "kernels/compensation.hpp"
#include "kernels/ground_view.hpp"
#include "kernels/lane_search.hpp"
#include "kernels/road_scene.hpp"

namespace {

using namespace ligament::nodes::driving;

struct Frame {
  std::uint8_t* data;
  int width;
  int height;
  int channels;
};

cv::Mat mat(const Frame& frame) {
  return {frame.height, frame.width, CV_8UC(frame.channels), frame.data};
}

/// Hue from and to, saturation from and to, value from: of yellow, then of white.
StripeColours stripe_colours(const int* ends) {
  const auto range = [](const int* e) { return ColourRange{e[0], e[1], e[2], e[3], e[4], 255}; };
  return {range(ends), range(ends + 5)};
}

}  // namespace

extern "C" {

void golden_compensation(const Frame* in, const Frame* out, int blue_first, unsigned clip_permille,
                         int minimum_spread) {
  cv::Mat result = mat(*out);
  compensate(mat(*in), blue_first != 0 ? ColourOrder::bgr : ColourOrder::rgb,
             {.clip_permille = clip_permille, .minimum_spread = minimum_spread}, result);
}

/// `edges`: near_edge, far_edge, half_width; `mount`: height, ahead, pitch, field of view. The view
/// has the size of `out`; nothing is written where it cannot be.
void golden_projection(const Frame* in, const Frame* out, const double* edges,
                       const double* mount) {
  const MountedCamera camera{in->width, in->height, mount[0], mount[1], mount[2], mount[3]};
  const GroundRectangle rectangle{edges[0], edges[1], edges[2], out->width, out->height};
  cv::Mat result = mat(*out);
  if (const auto view = GroundView::create(camera, rectangle)) view->warp(mat(*in), result);
}

/// What the camera sees so far along the track; `in` is not looked at.
void golden_road(const Frame* /*in*/, const Frame* out, double distance, int lamp) {
  MountedCamera camera;
  camera.width = out->width;
  camera.height = out->height;
  const Track track;
  cv::Mat result = mat(*out);
  draw_road(track, camera, pose_at(track, distance), static_cast<Lamp>(lamp), result);
}

/// `edges`, `mount`: as of golden_projection. The result has the classes of stripes.
void golden_lane_planner(const Frame* in, const Frame* out, const double* edges,
                         const double* mount, const int* colours, int blue_first) {
  const MountedCamera camera{in->width, in->height, mount[0], mount[1], mount[2], mount[3]};
  const GroundRectangle rectangle{edges[0], edges[1], edges[2], out->width, out->height};
  const cv::Mat picture = mat(*in);
  cv::Mat classes(picture.size(), CV_8UC1);
  for (int row = 0; row < classes.rows; ++row) {
    classify(stripe_colours(colours), blue_first != 0 ? ColourOrder::bgr : ColourOrder::rgb,
             picture.ptr<std::uint8_t>(row),
             {classes.ptr<std::uint8_t>(row), static_cast<std::size_t>(classes.cols)});
  }
  cv::Mat result = mat(*out);
  if (const auto view = GroundView::create(camera, rectangle)) view->warp_nearest(classes, result);
}

/// `lengths`: near_edge, far_edge, half_width, lane_width, stripe_width, look_ahead, band. The
/// bytes of `out`: whether a lane was seen, then x and y as float32.
void golden_lane_following(const Frame* in, const Frame* out, const double* lengths,
                           const int* colours, int blue_first) {
  const GroundRectangle rectangle{lengths[0], lengths[1], lengths[2], in->width, in->height};
  LaneSearch search(rectangle, {lengths[3], lengths[4]}, {lengths[5], lengths[6]});
  const auto middle = search.find(mat(*in), blue_first != 0 ? ColourOrder::bgr : ColourOrder::rgb,
                                  stripe_colours(colours));
  out->data[0] = middle ? 1 : 0;
  if (!middle) return;
  const float place[2] = {static_cast<float>(from_fixed(middle->x)),
                          static_cast<float>(from_fixed(middle->y))};
  std::memcpy(out->data + 1, place, sizeof place);
}

/// What lies on the ground so far along the track, from above; `in` is not looked at. A stripe that
/// `stripes` does not count in (1: yellow, 2: white) is not painted.
void golden_road_above(const Frame* /*in*/, const Frame* out, double distance, double offset,
                       double turned, int stripes) {
  Track track;
  track.yellow = (stripes & 1) != 0;
  track.white = (stripes & 2) != 0;
  Pose pose = pose_at(track, distance);
  pose.x -= offset * std::sin(pose.heading);
  pose.y += offset * std::cos(pose.heading);
  pose.heading += turned;
  const MountedCamera camera;
  cv::Mat picture(camera.height, camera.width, CV_8UC3);
  draw_road(track, camera, pose, Lamp::off, picture);
  GroundRectangle rectangle;
  rectangle.columns = out->width;
  rectangle.rows = out->height;
  cv::Mat result = mat(*out);
  if (const auto view = GroundView::create(camera, rectangle)) view->warp(picture, result);
}

}  // extern "C"
