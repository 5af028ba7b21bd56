// SPDX-License-Identifier: Apache-2.0
/// \file The ground seen from above (a bird's view), from a camera that is pitched down.
///
///   auto view = GroundView::create(camera, rectangle);
///   if (!view) stop(view.error());
///   view->warp(picture, from_above);
///
/// Axes as in ROS (REP 103): x ahead of the robot's centre, y to its left. Of a pinhole camera at
/// height h, pitched down by p, with focal length f = (width / 2) / tan(fov / 2) in pixels, a point
/// of the ground that is d ahead of the camera and y to the left appears at
///
///   z   = d cos p + h sin p                              (depth along the camera's axis)
///   row = (height - 1) / 2 + f (h cos p - d sin p) / z
///   col = (width - 1) / 2 - f y / z
///
/// (Hartley and Zisserman, "Multiple view geometry", 2nd edition, 8.1: the homography of a plane.)
/// As the camera has no roll, a row of the view comes from one row of the picture, in equal steps.
/// So the map is a table of three numbers per row, made at set-up: row, first column, step. It is
/// computed in whole numbers, as hardware does (common/hdl/lig_drive_ground.sv). A frame needs no
/// division: the column is a sum in Q16, and both are cut to 1/32 pixel. Between pixels it
/// is bilinear: with fractions a, b in 1/32, (sum of the four pixels times (32 - a or a) times
/// (32 - b or b) + 512) / 1024. This is what cv::remap computes from such a map, bit by bit.
#pragma once

#include <cstdint>
#include <ligament/expected.hpp>
#include <opencv2/core.hpp>
#include <string>
#include <vector>

namespace ligament::nodes::driving {

/// A pinhole camera without roll, looking ahead.
struct MountedCamera {
  int width = 640;
  int height = 480;
  double above_ground = 0.14;    ///< m
  double ahead = 0.05;           ///< of the robot's centre, m
  double pitch_down = 25.0;      ///< degrees
  double horizontal_fov = 80.0;  ///< degrees
};

/// The part of the ground to show, and with how many pixels. The far edge is the top row.
struct GroundRectangle {
  double near_edge = 0.20;  ///< ahead of the robot's centre, m
  double far_edge = 0.80;
  double half_width = 0.50;  ///< to each side, m
  int columns = 1000;
  int rows = 600;
};

class GroundView {
 public:
  /// Where a row of the view comes from.
  struct Row {
    std::int32_t row_32;      ///< in 1/32 pixel; at most 2^20 from 0
    std::int64_t column_q16;  ///< of the first pixel, and 1/64 pixel: cutting then rounds
    std::int64_t step_q16;    ///< from pixel to pixel
  };

  /// The error is a sentence: what cannot be, and which parameter to change.
  [[nodiscard]] static expected<GroundView, std::string> create(const MountedCamera& camera,
                                                                const GroundRectangle& rectangle);

  /// `picture` must have the camera's size. What the camera does not see is black.
  void warp(const cv::Mat& picture, cv::Mat& result) const;
  /// The same without mixing pixels: each is that of the nearest, half up.
  void warp_nearest(const cv::Mat& picture, cv::Mat& result) const;

  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }
  [[nodiscard]] cv::Size picture_size() const { return picture_size_; }
  [[nodiscard]] cv::Size size() const { return places_.size(); }

 private:
  GroundView() = default;
  void lay_out(int columns);

  std::vector<Row> rows_;
  cv::Size picture_size_;
  cv::Mat places_;     ///< whole pixels, rounded down
  cv::Mat fractions_;  ///< 32 * row's + column's, in 1/32
  cv::Mat nearest_;
};

}  // namespace ligament::nodes::driving
