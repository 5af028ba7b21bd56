// SPDX-License-Identifier: Apache-2.0
#include "kernels/ground_view.hpp"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "kernels/fixed.hpp"

namespace ligament::nodes::driving {
namespace {

constexpr int kPlaceBits = 5;  // 1/32 pixel, as cv::remap has it
// Added to a column, so that cutting it to 1/32 pixel rounds it.
constexpr std::int64_t kRounds = 1 << (kLengthBits - kPlaceBits - 1);
// Far outside of any picture; OpenCV's maps hold 16 bits.
constexpr std::int64_t kOutside = 32000;

/// What cannot be, or nothing.
std::string contradiction(const MountedCamera& camera, const GroundRectangle& rectangle) {
  if (rectangle.far_edge <= rectangle.near_edge) {
    return "`far_edge` must be farther ahead than `near_edge`";
  }
  const double pitch = camera.pitch_down * CV_PI / 180;
  const double nearest = rectangle.near_edge - camera.ahead;
  if (nearest * std::cos(pitch) + camera.above_ground * std::sin(pitch) <= 0) {
    return "`near_edge` lies behind the camera, which cannot see it; set it farther ahead";
  }
  return {};
}

std::int16_t whole(std::int64_t place_32) {
  return static_cast<std::int16_t>(std::clamp(place_32 >> kPlaceBits, -kOutside, kOutside));
}

}  // namespace

expected<GroundView, std::string> GroundView::create(const MountedCamera& camera,
                                                     const GroundRectangle& rectangle) {
  if (auto wrong = contradiction(camera, rectangle); !wrong.empty()) {
    return unexpected<std::string>(std::move(wrong));
  }
  GroundView view;
  view.picture_size_ = {camera.width, camera.height};
  const double pitch = camera.pitch_down * CV_PI / 180;
  const double sine = std::sin(pitch);
  const double cosine = std::cos(pitch);
  const double focal = camera.width / 2.0 / std::tan(camera.horizontal_fov * CV_PI / 360);
  const double pixel_length = (rectangle.far_edge - rectangle.near_edge) / rectangle.rows;
  const double pixel_width = 2 * rectangle.half_width / rectangle.columns;
  for (int row = 0; row < rectangle.rows; ++row) {
    const double ahead = rectangle.far_edge - (row + 0.5) * pixel_length - camera.ahead;
    const double depth = ahead * cosine + camera.above_ground * sine;
    const double source =
        (camera.height - 1) / 2.0 + focal * (camera.above_ground * cosine - ahead * sine) / depth;
    const double left = rectangle.half_width - 0.5 * pixel_width;
    const double column = (camera.width - 1) / 2.0 - focal * left / depth;
    view.rows_.push_back({static_cast<std::int32_t>(to_fixed(source, kPlaceBits)),
                          to_fixed(column) + kRounds, to_fixed(focal * pixel_width / depth)});
  }
  view.lay_out(rectangle.columns);
  return view;
}

/// The table, pixel by pixel, in the form that cv::remap reads.
void GroundView::lay_out(int columns) {
  const int count = static_cast<int>(rows_.size());
  places_.create(count, columns, CV_16SC2);
  nearest_.create(count, columns, CV_16SC2);
  fractions_.create(count, columns, CV_16UC1);
  constexpr std::int64_t kFraction = (1 << kPlaceBits) - 1;
  constexpr std::int64_t kHalf = 1 << (kPlaceBits - 1);
  for (int row = 0; row < count; ++row) {
    const Row& from = rows_[static_cast<std::size_t>(row)];
    std::int64_t column_q16 = from.column_q16;
    for (int column = 0; column < columns; ++column, column_q16 += from.step_q16) {
      const std::int64_t column_32 = column_q16 >> (kLengthBits - kPlaceBits);
      places_.at<cv::Vec2s>(row, column) = {whole(column_32), whole(from.row_32)};
      nearest_.at<cv::Vec2s>(row, column) = {whole(column_32 + kHalf), whole(from.row_32 + kHalf)};
      fractions_.at<std::uint16_t>(row, column) = static_cast<std::uint16_t>(
          ((from.row_32 & kFraction) << kPlaceBits) | (column_32 & kFraction));
    }
  }
}

void GroundView::warp(const cv::Mat& picture, cv::Mat& result) const {
  cv::remap(picture, result, places_, fractions_, cv::INTER_LINEAR, cv::BORDER_CONSTANT);
}

void GroundView::warp_nearest(const cv::Mat& picture, cv::Mat& result) const {
  cv::remap(picture, result, nearest_, cv::noArray(), cv::INTER_NEAREST, cv::BORDER_CONSTANT);
}

}  // namespace ligament::nodes::driving
