// SPDX-License-Identifier: Apache-2.0
/// \file Polyfit: the lane's middle as points of a curve, from an image of stripe classes.
///
/// Each stripe is traced row by row, from the near rows (at the bottom) to the far ones. A trace
/// begins where most runs of the near half lie. In each row the run that is nearest to where the
/// stripe should go on is taken, if it lies within a gate; where markings are worn, rows are
/// skipped and the gate grows. A parabola is fitted to the centres of the runs; a line, where the
/// stripe is seen in too few rows for a parabola. A trace ends where the stripe leans by more than
/// 45 degrees: there no function of the row follows it. The lane's middle lies between both curves;
/// where only one stripe is seen, half a lane beside it, square to it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <vector>

#include "kernels/ground_scale.hpp"
#include "kernels/lane_centre.hpp"
#include "kernels/lane_search.hpp"
#include "kernels/polynomial.hpp"

namespace ligament::nodes::driving {

struct CurveOptions {
  LaneShape lane;
  int gate = 20;             ///< pixels around where a stripe should go on
  int rows_for_line = 40;    ///< rows with a run that a stripe needs at all
  int rows_for_curve = 200;  ///< rows between a stripe's first and last that a parabola needs
  int points = 6;            ///< of the answer
};

/// The options in a view; `points`: of the answer.
[[nodiscard]] inline CurveOptions curve_options(const LaneMetres& metres,
                                                const GroundRectangle& rectangle, int points) {
  CurveOptions options;
  options.lane = lane_shape(metres, GroundScale(rectangle));
  options.gate = std::max(2, options.lane.lane_width / 15);
  options.rows_for_line = rectangle.rows / 15;
  options.rows_for_curve = rectangle.rows / 3;
  options.points = points;
  return options;
}

/// A stripe's curve: twice the column, over the row's distance below the view's middle row.
struct StripeCurve {
  Polynomial column;
  int first_row = 0;  ///< the farthest row where the stripe was seen
  int last_row = 0;
  [[nodiscard]] bool shows(int row) const { return first_row <= row && row <= last_row; }
};

/// Follows one stripe from row to row, the near rows first.
class StripeTrace {
 public:
  StripeTrace(const CurveOptions& options, int rows, std::int64_t start_q8)
      : options_(options), middle_(rows / 2), expected_q8_(2 * start_q8) {}

  /// The centres (twice the column) of one row's runs; rows come from `rows` - 1 down to 0. False:
  /// the stripe ends here.
  bool add_row(int row, std::span<const int> centres) {
    const std::int64_t expected = expected_q8_ >> 8;
    const std::int64_t gate =
        std::int64_t{2} * std::min(options_.gate + skipped_ / 4, 3 * options_.gate);
    std::int64_t nearest = 0;
    std::int64_t away = gate + 1;
    for (const int centre : centres) {
      const std::int64_t distance = std::abs(centre - expected);
      if (distance < away) {
        away = distance;
        nearest = centre;
      }
    }
    if (away <= gate) {
      take(row, nearest);
    } else {
      ++skipped_;
      expected_q8_ += slope_q8_;
    }
    return std::abs(slope_q8_) <= kSteepest;
  }

  [[nodiscard]] std::optional<StripeCurve> finish() const {
    if (fit_.points() < options_.rows_for_line) return std::nullopt;
    const int degree = last_row_ - first_row_ >= options_.rows_for_curve ? 2 : 1;
    const auto column = fit_.solve(degree, 2);
    if (!column) return std::nullopt;
    return StripeCurve{*column, first_row_, last_row_};
  }

 private:
  void take(int row, std::int64_t centre) {
    if (fit_.points() == 0) {
      last_row_ = row;
    } else {
      // The slope follows slowly: a sixteenth of what the stripe moved more than expected.
      slope_q8_ += ((centre * 256 - expected_q8_) / (skipped_ + 1)) / 16;
    }
    first_row_ = row;
    skipped_ = 0;
    expected_q8_ = centre * 256 + slope_q8_;
    fit_.add(row - middle_, centre);
  }

  static constexpr std::int64_t kSteepest = std::int64_t{2} * 256;  // one column per row

  CurveOptions options_;
  int middle_;
  std::int64_t expected_q8_;  ///< twice the column, in Q8
  std::int64_t slope_q8_ = 0;
  int skipped_ = 0;
  int first_row_ = 0;
  int last_row_ = 0;
  CurveFit fit_;
};

class LaneCurveFinder {
 public:
  LaneCurveFinder(const CurveOptions& options, const GroundRectangle& rectangle)
      : options_(options), rectangle_(rectangle), scale_(rectangle), votes_(rectangle.columns) {}

  /// The lane's middle, the nearest point first; empty where no stripe was seen. `classes` has the
  /// rectangle's size.
  [[nodiscard]] const std::vector<GroundPoint>& find(const cv::Mat& classes) {
    points_.clear();
    const auto left = stripe(classes, kYellow);
    const auto right = stripe(classes, kWhite);
    if (left && right) {
      between(*left, *right);
    } else if (left) {
      beside(*left, 1);
    } else if (right) {
      beside(*right, -1);
    }
    return points_;
  }

 private:
  [[nodiscard]] std::span<const std::uint8_t> row_of(const cv::Mat& classes, int row) const {
    return {classes.ptr<std::uint8_t>(row), static_cast<std::size_t>(classes.cols)};
  }

  [[nodiscard]] std::optional<StripeCurve> stripe(const cv::Mat& classes, std::uint8_t of) {
    votes_.clear();
    for (int row = classes.rows / 2; row < classes.rows; ++row) {
      find_runs(row_of(classes, row), of, options_.lane.stripe,
                [&](int at) { votes_.add(at, false); });
    }
    const auto begin = votes_.best(options_.lane.window, 1, classes.rows);
    if (!begin) return std::nullopt;
    StripeTrace trace(options_, classes.rows, begin->column_q8);
    for (int row = classes.rows - 1; row >= 0; --row) {
      centres_.clear();
      find_runs(row_of(classes, row), of, options_.lane.stripe,
                [&](int at) { centres_.push_back(at); });
      if (!trace.add_row(row, centres_)) break;
    }
    return trace.finish();
  }

  /// A place in Q16 pixels.
  struct Place {
    std::int64_t column;
    std::int64_t row;
  };

  void between(const StripeCurve& left, const StripeCurve& right) {
    const int middle = rectangle_.rows / 2;
    const int near = std::min(left.last_row, right.last_row) - middle;
    const std::int64_t apart = right.column.at(near) - left.column.at(near);
    if (apart < options_.lane.lane_width_from * kOne ||
        apart > options_.lane.lane_width_to * kOne) {
      // They belong to different lanes, or one is none: the longer one is believed.
      const bool left_is_longer =
          left.last_row - left.first_row >= right.last_row - right.first_row;
      return left_is_longer ? beside(left, 1) : beside(right, -1);
    }
    spread(std::min(left.first_row, right.first_row), std::max(left.last_row, right.last_row),
           [&](int row) {
             if (!left.shows(row)) return beside_at(right, -1, row);
             if (!right.shows(row)) return beside_at(left, 1, row);
             const std::int64_t sum = left.column.at(row - middle) + right.column.at(row - middle);
             return Place{shift_rounded(sum, 1), row * kOne};
           });
  }

  /// `side`: 1 for what lies to the right of the stripe, -1 to the left.
  void beside(const StripeCurve& one, int side) {
    spread(one.first_row, one.last_row, [&](int row) { return beside_at(one, side, row); });
  }

  [[nodiscard]] Place beside_at(const StripeCurve& one, int side, int row) const {
    const int t = row - rectangle_.rows / 2;
    const std::int64_t slope = std::clamp(one.column.slope_at(t), -16 * kOne, 16 * kOne);
    const std::int64_t length =
        square_root(static_cast<std::uint64_t>(kOne * kOne + slope * slope));
    const std::int64_t half = std::int64_t{side} * options_.lane.lane_width * kOne / 2;
    const std::int64_t across = divide_rounded(half * kOne, length);
    return {one.column.at(t) + across, row * kOne - shift_rounded(across * slope, 16)};
  }

  /// Points at equal distances between two rows; `at` gives column and row in Q16 pixels.
  template <typename At>
  void spread(int first_row, int last_row, const At& at) {
    const int steps = std::max(options_.points - 1, 1);
    for (int step = 0; step < options_.points; ++step) {
      const Place place = at(last_row - (last_row - first_row) * step / steps);
      points_.push_back(scale_.point(place.column, place.row));
    }
  }

  CurveOptions options_;
  GroundRectangle rectangle_;
  GroundScale scale_;
  StripeVotes votes_;
  std::vector<int> centres_;
  std::vector<GroundPoint> points_;
};

}  // namespace ligament::nodes::driving
