// SPDX-License-Identifier: Apache-2.0
#include "kernels/ground_view.hpp"

#include <algorithm>
#include <opencv2/imgproc.hpp>

#include "kernels/fixed.hpp"
#include "kernels/turn.hpp"

namespace ligament::nodes::driving {
namespace {

constexpr int kPlaceBits = 5;  // 1/32 pixel, as cv::remap has it
// Added to a column, so that cutting it to 1/32 pixel rounds it.
constexpr std::int64_t kRounds = 1 << (kLengthBits - kPlaceBits - 1);
// Far outside of any picture; OpenCV's maps hold 16 bits.
constexpr std::int64_t kOutside = 32000;

constexpr std::int64_t kFarthestRow = 1 << 20;  // in 1/32 pixel
constexpr int kFocalBits = 22;

/// What all rows have in common. Lengths are Q32 m; those that begin with `rows_` are times twice
/// the number of rows, so that the middle of each row is a whole number.
struct Ground {
  Ground(const MountedCamera& camera, const GroundRectangle& rectangle)
      : span(to_fixed(rectangle.far_edge, 32) - to_fixed(rectangle.near_edge, 32)),
        rows_far(2 * rectangle.rows *
                 (to_fixed(rectangle.far_edge, 32) - to_fixed(camera.ahead, 32))),
        pitch(sine_cosine(to_fixed(camera.pitch_down, kTurnBits))) {
    const std::int64_t rows_above = 2 * rectangle.rows * to_fixed(camera.above_ground, 32);
    rows_depth = scaled(rows_above, pitch.sine, kTurnBits);
    rows_below = scaled(rows_above, pitch.cosine, kTurnBits);
    // A degree less of binary places halves the field of view.
    const auto half = sine_cosine(to_fixed(camera.horizontal_fov, kTurnBits - 1));
    focal = static_cast<std::int64_t>(
        divide_rounded((Int128{camera.width} * half.cosine) << kFocalBits, Int128{2 * half.sine}));
    const std::int64_t rows_wide = 4 * rectangle.rows * to_fixed(rectangle.half_width, 32);
    spread = divide_rounded(scaled(focal, rows_wide, 32), std::int64_t{rectangle.columns});
  }

  [[nodiscard]] static std::int64_t scaled(std::int64_t a, std::int64_t b, int bits) {
    return static_cast<std::int64_t>(shift_rounded(Int128{a} * b, bits));
  }
  /// Depth of the ground at a row's middle, or with 2 * rows of the near edge.
  [[nodiscard]] std::int64_t rows_depth_at(int twice_row) const {
    return scaled(rows_far - twice_row * span, pitch.cosine, kTurnBits) + rows_depth;
  }
  [[nodiscard]] std::int64_t rows_below_at(int twice_row) const {
    return rows_below - scaled(rows_far - twice_row * span, pitch.sine, kTurnBits);
  }

  std::int64_t span;
  std::int64_t rows_far;
  SineCosine pitch;
  std::int64_t rows_depth = 0;  ///< what the camera's height adds to the depth
  std::int64_t rows_below = 0;  ///< and to what is below the camera's axis
  std::int64_t focal = 0;       ///< pixels, Q22
  std::int64_t spread = 0;      ///< a column's step times its depth, Q22 pixels
};

/// What cannot be, or nothing.
std::string contradiction(const Ground& ground, const GroundRectangle& rectangle) {
  if (ground.span <= 0) return "`far_edge` must be farther ahead than `near_edge`";
  // In hundredths of a metre: closer, numbers do not fit.
  if (50 * ground.rows_depth_at(2 * rectangle.rows) < rectangle.rows * (std::int64_t{1} << 32)) {
    return "`near_edge` lies behind the camera, which cannot see it, or less than 1 cm in front; "
           "set it farther ahead";
  }
  return {};
}

GroundView::Row row_at(const Ground& ground, const MountedCamera& camera, int columns, int row) {
  const std::int64_t depth = ground.rows_depth_at(2 * row + 1);
  const auto step = divide_rounded(Int128{ground.spread} << 26, Int128{depth});
  const auto to_left = divide_rounded((Int128{ground.spread} * (columns - 1)) << 25, Int128{depth});
  const auto below = static_cast<std::int64_t>(
      divide_rounded(Int128{ground.rows_below_at(2 * row + 1)} << 30, Int128{depth}));
  const std::int64_t place =
      16 * (camera.height - 1) + Ground::scaled(ground.focal, below, kFocalBits + 30 - kPlaceBits);
  const std::int64_t middle = std::int64_t{camera.width - 1} << (kLengthBits - 1);
  return {static_cast<std::int32_t>(std::clamp(place, -kFarthestRow, kFarthestRow)),
          middle + kRounds - static_cast<std::int64_t>(to_left), static_cast<std::int64_t>(step)};
}

std::int16_t whole(std::int64_t place_32) {
  return static_cast<std::int16_t>(std::clamp(place_32 >> kPlaceBits, -kOutside, kOutside));
}

}  // namespace

expected<GroundView, std::string> GroundView::create(const MountedCamera& camera,
                                                     const GroundRectangle& rectangle) {
  const Ground ground(camera, rectangle);
  if (auto wrong = contradiction(ground, rectangle); !wrong.empty()) {
    return unexpected<std::string>(std::move(wrong));
  }
  GroundView view;
  view.picture_size_ = {camera.width, camera.height};
  for (int row = 0; row < rectangle.rows; ++row) {
    view.rows_.push_back(row_at(ground, camera, rectangle.columns, row));
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
