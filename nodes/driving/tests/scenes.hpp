// SPDX-License-Identifier: Apache-2.0
/// \file Pictures of a road for tests, and what float64 says of them.
#pragma once

#include <cmath>
#include <opencv2/imgproc.hpp>

#include "kernels/ground_scale.hpp"
#include "kernels/road_scene.hpp"
#include "kernels/stripes.hpp"

namespace ligament::nodes::driving {

/// What the camera sees from a place on the track.
inline cv::Mat scene(const Pose& pose, Lamp lamp = Lamp::off, const Track& track = {}) {
  const MountedCamera camera;
  cv::Mat picture(camera.height, camera.width, CV_8UC3);
  draw_road(track, camera, pose, lamp, picture);
  return picture;
}

/// A place beside the lane's middle, with a heading beside its heading.
inline Pose beside(double along, double offset, double turned = 0, const Track& track = {}) {
  Pose pose = pose_at(track, along);
  pose.x -= offset * std::sin(pose.heading);
  pose.y += offset * std::cos(pose.heading);
  pose.heading += turned;
  return pose;
}

/// Where a point of the robot's ground lies beside the lane's middle.
inline double offset_of(const GroundPoint& point, const Pose& pose, const Track& track = {}) {
  const double x = from_fixed(point.x);
  const double y = from_fixed(point.y);
  return lateral_offset(track, pose.x + x * std::cos(pose.heading) - y * std::sin(pose.heading),
                        pose.y + x * std::sin(pose.heading) + y * std::cos(pose.heading));
}

inline GroundView standard_view() {
  return *GroundView::create(MountedCamera{}, GroundRectangle{});
}

/// The picture from above.
inline cv::Mat above(const cv::Mat& picture) {
  const GroundRectangle rectangle;
  cv::Mat result(rectangle.rows, rectangle.columns, CV_8UC3);
  standard_view().warp(picture, result);
  return result;
}

/// The classes of a picture from above, as Lane Planner gives them.
inline cv::Mat mask_above(const cv::Mat& picture) {
  cv::Mat classes(picture.size(), CV_8UC1);
  for (int row = 0; row < picture.rows; ++row) {
    classify({}, ColourOrder::rgb, picture.ptr<std::uint8_t>(row),
             {classes.ptr<std::uint8_t>(row), static_cast<std::size_t>(picture.cols)});
  }
  const GroundRectangle rectangle;
  cv::Mat result(rectangle.rows, rectangle.columns, CV_8UC1);
  standard_view().warp_nearest(classes, result);
  return result;
}

inline cv::Mat with_noise(const cv::Mat& picture, double sigma, std::uint64_t seed) {
  cv::Mat noise(picture.size(), CV_16SC3);
  cv::RNG random(seed);
  random.fill(noise, cv::RNG::NORMAL, 0, sigma);
  cv::Mat wide;
  cv::add(picture, noise, wide, cv::noArray(), CV_16S);
  cv::Mat result;
  wide.convertTo(result, CV_8U);
  return result;
}

}  // namespace ligament::nodes::driving
