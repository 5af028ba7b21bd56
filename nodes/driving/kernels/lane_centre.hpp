// SPDX-License-Identifier: Apache-2.0
/// \file Lane Following: where the middle of the lane is, from a band of rows of the view from
/// above.
///
/// Each run that may be a stripe's votes for its centre. Per colour, the window of columns with the
/// most votes wins, if enough rows voted for it; the stripe is at the mean of that window's votes.
/// With both stripes, the lane's middle is the middle between them. With one, it is half a lane
/// beside it, square to it: its slant is how far it moves from the band's far half to the near one.
/// Two stripes whose distance no lane has: the one with fewer votes is dropped.
///
/// Columns are in Q8 pixels: a mean of whole numbers, rounded once.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/fixed.hpp"
#include "kernels/stripes.hpp"

namespace ligament::nodes::driving {

inline constexpr std::int64_t kOneColumn = 256;  ///< in Q8

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
  std::int64_t slope_q16 = 0;  ///< columns per row
};

struct LaneCentre {
  std::int64_t column_q8 = 0;
  int stripes = 0;  ///< that were seen: 1 or 2
};

/// The votes for one stripe, of the far and of the near half of the rows.
class StripeVotes {
 public:
  explicit StripeVotes(int columns) {
    for (auto& half : halves_) half.resize(2 * static_cast<std::size_t>(columns));
  }

  void clear() {
    for (auto& half : halves_) std::fill(half.begin(), half.end(), std::uint16_t{0});
  }
  void add(int twice_centre, bool is_near) {
    ++halves_[is_near ? 1 : 0][static_cast<std::size_t>(twice_centre)];
  }

  /// The mean of the window with the most votes; of equal ones, the leftmost. `rows`: of both
  /// halves.
  [[nodiscard]] std::optional<Stripe> best(int window, std::uint32_t at_least, int rows) const {
    const std::size_t width = 2 * static_cast<std::size_t>(window);
    std::uint32_t votes = 0;
    std::uint32_t most = 0;
    std::size_t end = 0;
    for (std::size_t place = 0; place < halves_[0].size(); ++place) {
      votes += at(place);
      if (place >= width) votes -= at(place - width);
      if (votes > most) {
        most = votes;
        end = place + 1;
      }
    }
    if (most == 0 || most < at_least) return std::nullopt;
    return stripe_before(end, width, rows);
  }

 private:
  struct Sum {
    std::int64_t places = 0;
    std::int64_t votes = 0;
    /// Places are half columns.
    [[nodiscard]] std::int64_t mean_q8() const { return divide_rounded(places * 128, votes); }
  };

  [[nodiscard]] std::uint32_t at(std::size_t place) const {
    return std::uint32_t{halves_[0][place]} + halves_[1][place];
  }

  [[nodiscard]] Stripe stripe_before(std::size_t end, std::size_t width, int rows) const {
    std::array<Sum, 2> sums;
    for (std::size_t place = end > width ? end - width : 0; place < end; ++place) {
      for (std::size_t half = 0; half < 2; ++half) {
        sums[half].places += static_cast<std::int64_t>(place) * halves_[half][place];
        sums[half].votes += halves_[half][place];
      }
    }
    const Sum all{sums[0].places + sums[1].places, sums[0].votes + sums[1].votes};
    Stripe stripe{all.mean_q8(), static_cast<std::uint32_t>(all.votes), 0};
    if (sums[0].votes > 0 && sums[1].votes > 0 && rows > 1) {
      // The middles of the halves are rows / 2 apart.
      stripe.slope_q16 =
          divide_rounded((sums[1].mean_q8() - sums[0].mean_q8()) * 512, std::int64_t{rows});
    }
    return stripe;
  }

  std::array<std::vector<std::uint16_t>, 2> halves_;
};

/// How far it is, along a row, from a slanted stripe to what lies `half_q8` square to it.
[[nodiscard]] inline std::int64_t along_row(std::int64_t half_q8, std::int64_t slope_q16) {
  const std::int64_t slope = std::clamp(slope_q16, -4 * kOne, 4 * kOne);
  const std::int64_t length = square_root(static_cast<std::uint64_t>(kOne * kOne + slope * slope));
  return shift_rounded(half_q8 * length, 16);
}

/// The middle of the lane between what was seen of its stripes.
[[nodiscard]] inline std::optional<LaneCentre> centre_between(std::optional<Stripe> left,
                                                              std::optional<Stripe> right,
                                                              const LaneShape& shape) {
  if (left && right) {
    const std::int64_t apart = right->column_q8 - left->column_q8;
    if (apart < shape.lane_width_from * kOneColumn || apart > shape.lane_width_to * kOneColumn) {
      (left->votes < right->votes ? left : right).reset();
    }
  }
  const std::int64_t half = shape.lane_width * kOneColumn / 2;
  if (left && right) return LaneCentre{shift_rounded(left->column_q8 + right->column_q8, 1), 2};
  if (left) return LaneCentre{left->column_q8 + along_row(half, left->slope_q16), 1};
  if (right) return LaneCentre{right->column_q8 - along_row(half, right->slope_q16), 1};
  return std::nullopt;
}

/// Finds the lane in a band of rows, fed row by row.
class LaneFinder {
 public:
  LaneFinder(const LaneShape& shape, int columns)
      : shape_(shape), yellow_(columns), white_(columns) {}

  /// `rows`: how many will be added.
  void begin(int rows) {
    yellow_.clear();
    white_.clear();
    rows_ = rows;
    row_ = 0;
  }
  void add_row(std::span<const std::uint8_t> classes) {
    const bool is_near = 2 * row_++ >= rows_;
    find_runs(classes, kYellow, shape_.stripe, [&](int at) { yellow_.add(at, is_near); });
    find_runs(classes, kWhite, shape_.stripe, [&](int at) { white_.add(at, is_near); });
  }
  [[nodiscard]] std::optional<LaneCentre> finish() const {
    const auto at_least = static_cast<std::uint32_t>(rows_ * shape_.votes_permille / 1000);
    return centre_between(yellow_.best(shape_.window, at_least, rows_),
                          white_.best(shape_.window, at_least, rows_), shape_);
  }

 private:
  LaneShape shape_;
  StripeVotes yellow_;
  StripeVotes white_;
  int rows_ = 0;
  int row_ = 0;
};

}  // namespace ligament::nodes::driving
