// SPDX-License-Identifier: Apache-2.0
/// \file Between pixels of a view from above and metres around the robot.
#pragma once

#include <cstdint>

#include "kernels/fixed.hpp"
#include "kernels/ground_view.hpp"

namespace ligament::nodes::driving {

/// A point on the ground, Q16 m: x ahead of the robot's centre, y to its left.
struct GroundPoint {
  std::int32_t x = 0;
  std::int32_t y = 0;
  bool operator==(const GroundPoint&) const = default;
};

/// Made once from the view's parameters. Sizes of pixels are Q32 m: their product with a place in
/// Q16 pixels is off by less than 2^-16 m over any view of 32767 pixels. Only the parameters
/// themselves are fractions: what follows from them is divided in whole numbers, as hardware does.
class GroundScale {
 public:
  explicit GroundScale(const GroundRectangle& rectangle)
      : far_q32_(to_fixed(rectangle.far_edge, 32)),
        left_q32_(to_fixed(rectangle.half_width, 32)),
        length_q32_(divide_rounded(far_q32_ - to_fixed(rectangle.near_edge, 32),
                                   std::int64_t{rectangle.rows})),
        width_q32_(divide_rounded(2 * left_q32_, std::int64_t{rectangle.columns})) {}

  /// Places count from the middle of the first pixel.
  [[nodiscard]] GroundPoint point(std::int64_t column_q16, std::int64_t row_q16) const {
    return {static_cast<std::int32_t>(past(far_q32_, row_q16, length_q32_)),
            static_cast<std::int32_t>(past(left_q32_, column_q16, width_q32_))};
  }
  /// How many columns are as long as `metres` (Q32) times `numerator / denominator`, rounded.
  [[nodiscard]] int columns_of(std::int64_t metres_q32, std::int64_t numerator = 1,
                               std::int64_t denominator = 1) const {
    return static_cast<int>(divide_rounded(metres_q32 * numerator, width_q32_ * denominator));
  }
  /// The row that shows what lies half of `twice_ahead_q32` ahead; may lie outside of the view.
  [[nodiscard]] int row_of(std::int64_t twice_ahead_q32) const {
    return static_cast<int>(divide_down(2 * far_q32_ - twice_ahead_q32, 2 * length_q32_));
  }

 private:
  [[nodiscard]] static std::int64_t past(std::int64_t edge_q32, std::int64_t place_q16,
                                         std::int64_t size_q32) {
    const std::int64_t centre_q16 = place_q16 + (std::int64_t{1} << 15);
    return shift_rounded(edge_q32 - shift_rounded(centre_q16 * size_q32, 16), 16);
  }

  std::int64_t far_q32_;
  std::int64_t left_q32_;
  std::int64_t length_q32_;
  std::int64_t width_q32_;
};

}  // namespace ligament::nodes::driving
