// SPDX-License-Identifier: Apache-2.0
/// \file Lane Following: where the middle of the lane is, from a band of rows of the view from
/// above.
///
/// Each run that may be a stripe's votes for its centre. Per colour, the window of columns with the
/// most votes wins, if enough rows voted for it; the stripe is at the mean of that window's votes.
/// With both stripes, the lane's middle is the middle between them. With one, it is half a lane
/// beside it. Two stripes whose distance no lane has: the one with fewer votes is dropped.
///
/// Columns are in Q8 pixels: a mean of whole numbers, rounded once.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/fixed.hpp"
#include "kernels/stripes.hpp"

namespace ligament::nodes::driving {

struct LaneShape {
  StripeShape stripe;
  int lane_width = 300;       ///< between the stripes' centres, pixels
  int lane_width_from = 200;  ///< what a pair of stripes may measure along a row
  int lane_width_to = 500;
  int window = 40;           ///< columns that the votes for one stripe may spread over
  int votes_permille = 250;  ///< of the band's rows
};

struct Stripe {
  std::int64_t column_q8 = 0;
  std::uint32_t votes = 0;
};

struct LaneCentre {
  std::int64_t column_q8 = 0;
  int stripes = 0;  ///< that were seen: 1 or 2
};

/// The votes for one stripe.
class StripeVotes {
 public:
  explicit StripeVotes(int columns) : counts_(static_cast<std::size_t>(2 * columns)) {}

  void clear() { std::fill(counts_.begin(), counts_.end(), std::uint16_t{0}); }
  void add(int twice_centre) { ++counts_[static_cast<std::size_t>(twice_centre)]; }

  /// The mean of the window with the most votes; of equal ones, the leftmost.
  [[nodiscard]] std::optional<Stripe> best(int window, std::uint32_t at_least) const {
    const std::size_t width = 2 * static_cast<std::size_t>(window);
    std::uint32_t votes = 0;
    std::uint32_t most = 0;
    std::size_t end = 0;
    for (std::size_t place = 0; place < counts_.size(); ++place) {
      votes += counts_[place];
      if (place >= width) votes -= counts_[place - width];
      if (votes > most) {
        most = votes;
        end = place + 1;
      }
    }
    if (most == 0 || most < at_least) return std::nullopt;
    return Stripe{mean_before(end, width), most};
  }

 private:
  [[nodiscard]] std::int64_t mean_before(std::size_t end, std::size_t width) const {
    std::int64_t sum = 0;
    std::int64_t votes = 0;
    for (std::size_t place = end > width ? end - width : 0; place < end; ++place) {
      sum += static_cast<std::int64_t>(place) * counts_[place];
      votes += counts_[place];
    }
    return divide_rounded(sum * 128, votes);  // places are half columns
  }

  std::vector<std::uint16_t> counts_;
};

/// The middle of the lane between what was seen of its stripes.
[[nodiscard]] inline std::optional<LaneCentre> centre_between(std::optional<Stripe> left,
                                                              std::optional<Stripe> right,
                                                              const LaneShape& shape) {
  if (left && right) {
    const std::int64_t apart = right->column_q8 - left->column_q8;
    if (apart < shape.lane_width_from * 256 || apart > shape.lane_width_to * 256) {
      (left->votes < right->votes ? left : right).reset();
    }
  }
  const std::int64_t half = shape.lane_width * 128;
  if (left && right) return LaneCentre{shift_rounded(left->column_q8 + right->column_q8, 1), 2};
  if (left) return LaneCentre{left->column_q8 + half, 1};
  if (right) return LaneCentre{right->column_q8 - half, 1};
  return std::nullopt;
}

/// Finds the lane in a band of rows, fed row by row.
class LaneFinder {
 public:
  LaneFinder(const LaneShape& shape, int columns)
      : shape_(shape), yellow_(columns), white_(columns) {}

  void begin() {
    yellow_.clear();
    white_.clear();
    rows_ = 0;
  }
  void add_row(std::span<const std::uint8_t> classes) {
    find_runs(classes, kYellow, shape_.stripe, [&](int centre) { yellow_.add(centre); });
    find_runs(classes, kWhite, shape_.stripe, [&](int centre) { white_.add(centre); });
    ++rows_;
  }
  [[nodiscard]] std::optional<LaneCentre> finish() const {
    const auto at_least = rows_ * static_cast<std::uint32_t>(shape_.votes_permille) / 1000;
    return centre_between(yellow_.best(shape_.window, at_least),
                          white_.best(shape_.window, at_least), shape_);
  }

 private:
  LaneShape shape_;
  StripeVotes yellow_;
  StripeVotes white_;
  std::uint32_t rows_ = 0;
};

}  // namespace ligament::nodes::driving
