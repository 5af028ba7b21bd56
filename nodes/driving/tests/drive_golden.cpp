// SPDX-License-Identifier: Apache-2.0
/// \file What the benches of the driving nodes' pixel cores are judged by: the kernels of the CPU
/// nodes, behind plain functions that Python calls. drive_bench.py compiles it.
#include <cstdint>

#include "kernels/compensation.hpp"
#include "kernels/ground_view.hpp"
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

}  // extern "C"
