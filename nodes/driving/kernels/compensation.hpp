// SPDX-License-Identifier: Apache-2.0
/// \file Image Compensation: the histogram of a picture says which pixels are outliers, and the
/// brightness between them is spread over all levels.
///
/// Brightness is (77 R + 150 G + 29 B + 128) / 256, the luma weights of ITU-R BT.601 in eighths of
/// a percent. The darkest and the brightest `clip_permille` of the pixels are outliers: they become
/// black and white. Between the level `low` of the darkest pixel that is left and the level `high`
/// of the brightest, each channel is (c - low) * 255 / (high - low), rounded.
///
/// A picture with less than `minimum_spread` between the two has nothing to tell apart (a covered
/// lens, glare, empty ground): it is passed on as it is, instead of its noise being spread.
#pragma once

#include <array>
#include <cstdint>
#include <opencv2/core.hpp>

#include "kernels/colour.hpp"
#include "kernels/fixed.hpp"

namespace ligament::nodes::driving {

struct CompensationOptions {
  std::uint32_t clip_permille = 5;
  int minimum_spread = 48;
};

using Histogram = std::array<std::uint32_t, 256>;
using Levels = std::array<std::uint8_t, 256>;

[[nodiscard]] inline Histogram histogram_of(const cv::Mat& picture, ColourOrder order) {
  Histogram counts{};
  const int red = order == ColourOrder::rgb ? 77 : 29;
  const int blue = order == ColourOrder::rgb ? 29 : 77;
  for (int row = 0; row < picture.rows; ++row) {
    const auto* pixel = picture.ptr<std::uint8_t>(row);
    for (int column = 0; column < picture.cols; ++column, pixel += 3) {
      const int sum = red * pixel[0] + 150 * pixel[1] + blue * pixel[2] + 128;
      ++counts[static_cast<std::size_t>(sum >> 8)];
    }
  }
  return counts;
}

/// The first level, from one end, up to which there are more pixels than are outliers.
[[nodiscard]] inline int level_past(const Histogram& counts, std::uint64_t outliers, bool upwards) {
  std::uint64_t seen = 0;
  for (int step = 0; step < 256; ++step) {
    const int level = upwards ? step : 255 - step;
    seen += counts[static_cast<std::size_t>(level)];
    if (seen > outliers) return level;
  }
  return upwards ? 255 : 0;
}

/// What becomes of each level.
[[nodiscard]] inline Levels levels_of(const Histogram& counts, const CompensationOptions& options) {
  std::uint64_t pixels = 0;
  for (const std::uint32_t count : counts) pixels += count;
  const std::uint64_t outliers = pixels * options.clip_permille / 1000;
  const int low = level_past(counts, outliers, true);
  const int spread = level_past(counts, outliers, false) - low;
  Levels levels{};
  for (int level = 0; level < 256; ++level) {
    int result = level;
    if (spread >= options.minimum_spread) {
      result = divide_rounded(255 * std::clamp(level - low, 0, spread), spread);
    }
    levels[static_cast<std::size_t>(level)] = static_cast<std::uint8_t>(result);
  }
  return levels;
}

inline void compensate(const cv::Mat& picture, ColourOrder order,
                       const CompensationOptions& options, cv::Mat& result) {
  Levels levels = levels_of(histogram_of(picture, order), options);
  cv::LUT(picture, cv::Mat(1, 256, CV_8U, levels.data()), result);
}

}  // namespace ligament::nodes::driving
