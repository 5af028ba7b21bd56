// SPDX-License-Identifier: Apache-2.0
/// \file Where Lane Following looks in a view from above, and what it finds there.
///
///   LaneSearch search(rectangle, {}, {});
///   if (const auto middle = search.find(picture, ColourOrder::rgb, {})) use(middle->x, middle->y);
#pragma once

#include <algorithm>
#include <cstdint>
#include <opencv2/core.hpp>
#include <optional>
#include <vector>

#include "kernels/ground_scale.hpp"
#include "kernels/lane_centre.hpp"

namespace ligament::nodes::driving {

/// What a lane measures, in metres; pixels follow with the view's scale.
struct LaneMetres {
  double width = 0.30;
  double stripe_width = 0.03;
};

/// The tolerances are those of a lane that the robot sees at up to 50 degrees aside.
[[nodiscard]] inline LaneShape lane_shape(const LaneMetres& metres, const GroundScale& scale) {
  const std::int64_t stripe = to_fixed(metres.stripe_width, 32);
  const std::int64_t lane = to_fixed(metres.width, 32);
  LaneShape shape;
  shape.stripe.width_from = std::max(1, scale.columns_of(stripe, 2, 5));
  shape.stripe.width_to = scale.columns_of(stripe, 5, 2);
  shape.lane_width = scale.columns_of(lane);
  shape.lane_width_from = scale.columns_of(lane, 2, 3);
  shape.lane_width_to = scale.columns_of(lane, 8, 5);
  shape.window = std::max(2, scale.columns_of(stripe, 7, 5));
  return shape;
}

/// The part of the ground, around a distance ahead of the robot's centre, that is looked at.
class LaneBand {
 public:
  LaneBand() : LaneBand(0.23, 0.06) {}
  /// In metres.
  LaneBand(double look_ahead, double length)
      : twice_near_q32_(2 * to_fixed(look_ahead, 32) - to_fixed(length, 32)),
        twice_far_q32_(2 * to_fixed(look_ahead, 32) + to_fixed(length, 32)) {}

  [[nodiscard]] bool lies_in(const GroundRectangle& rectangle) const {
    return twice_near_q32_ >= 2 * to_fixed(rectangle.near_edge, 32) &&
           twice_far_q32_ <= 2 * to_fixed(rectangle.far_edge, 32);
  }
  [[nodiscard]] int first_row(const GroundScale& scale) const {
    return std::max(0, scale.row_of(twice_far_q32_));
  }
  /// One behind the last row.
  [[nodiscard]] int end_row(const GroundScale& scale, int rows) const {
    return std::clamp(scale.row_of(twice_near_q32_), first_row(scale) + 1, rows);
  }

 private:
  std::int64_t twice_near_q32_;
  std::int64_t twice_far_q32_;
};

/// In pictures of one size.
class LaneSearch {
 public:
  /// The band lies in the rectangle, whose size in pixels is the picture's.
  LaneSearch(const GroundRectangle& rectangle, const LaneMetres& metres, const LaneBand& band)
      : size_(rectangle.columns, rectangle.rows),
        scale_(rectangle),
        finder_(lane_shape(metres, scale_), rectangle.columns),
        first_row_(band.first_row(scale_)),
        end_row_(band.end_row(scale_, rectangle.rows)),
        classes_(static_cast<std::size_t>(rectangle.columns)) {}

  [[nodiscard]] cv::Size size() const { return size_; }

  /// The lane's middle in the band's middle row.
  [[nodiscard]] std::optional<GroundPoint> find(const cv::Mat& picture, ColourOrder order,
                                                const StripeColours& colours) {
    finder_.begin(end_row_ - first_row_);
    for (int row = first_row_; row < end_row_; ++row) {
      classify(colours, order, picture.ptr<std::uint8_t>(row), classes_);
      finder_.add_row(classes_);
    }
    const auto centre = finder_.finish();
    if (!centre) return std::nullopt;
    const std::int64_t twice_row = first_row_ + end_row_ - 1;
    return scale_.point(centre->column_q8 * 256, twice_row << 15);
  }

 private:
  cv::Size size_;
  GroundScale scale_;
  LaneFinder finder_;
  int first_row_;
  int end_row_;
  std::vector<std::uint8_t> classes_;
};

}  // namespace ligament::nodes::driving
