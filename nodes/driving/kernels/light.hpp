// SPDX-License-Identifier: Apache-2.0
/// \file The lit disc of a traffic light in a picture.
///
/// Pixels of the light's colour that touch (also by a corner) are a blob. The largest blob that is
/// as wide and as high as a disc, and fills its bounding box as a disc or a ring does, is the
/// light: a lamp that outshines the sensor is white inside and coloured around. Of equally large
/// ones it is the uppermost, then the leftmost, then the smallest: in which order blobs are found
/// does not matter.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <opencv2/imgproc.hpp>
#include <optional>

#include "kernels/colour.hpp"

namespace ligament::nodes::driving {

struct LightOptions {
  ColourRange colour;
  int rows_permille = 500;  ///< the part of the picture's height, from the top, to search
  int diameter_from = 9;    ///< pixels
  int diameter_to = 120;
};

/// All in whole numbers: twice the centre, and the sum of width and height (four times the radius).
struct Disc {
  int twice_x = 0;
  int twice_y = 0;
  int four_radii = 0;
  int pixels = 0;
  bool operator==(const Disc&) const = default;
};

/// Whether a blob in its bounding box may be a disc. A disc fills pi / 4 of its box, a square all.
[[nodiscard]] inline bool is_disc(const LightOptions& options, int width, int height, int pixels) {
  if (std::min(width, height) < options.diameter_from) return false;
  if (std::max(width, height) > options.diameter_to) return false;
  if (std::abs(width - height) * 4 > std::max(width, height) + 4) return false;
  const int box = width * height;
  return pixels * 100 >= box * 35 && pixels * 100 <= box * 92;
}

/// Whether a disc is taken in place of another one.
[[nodiscard]] inline bool is_better(const Disc& disc, const Disc& than) {
  if (disc.pixels != than.pixels) return disc.pixels > than.pixels;
  if (disc.twice_y != than.twice_y) return disc.twice_y < than.twice_y;
  if (disc.twice_x != than.twice_x) return disc.twice_x < than.twice_x;
  return disc.four_radii < than.four_radii;
}

[[nodiscard]] inline std::optional<Disc> find_disc(const cv::Mat& picture, ColourOrder order,
                                                   const LightOptions& options) {
  const int rows = std::max(1, picture.rows * options.rows_permille / 1000);
  cv::Mat mask(rows, picture.cols, CV_8U);
  for (int row = 0; row < rows; ++row) {
    const auto* pixel = picture.ptr<std::uint8_t>(row);
    auto* marked = mask.ptr<std::uint8_t>(row);
    for (int column = 0; column < picture.cols; ++column, pixel += 3) {
      marked[column] = is_within(options.colour, pixel, order) ? 255 : 0;
    }
  }
  cv::Mat labels;
  cv::Mat blobs;
  cv::Mat centres;  // OpenCV's, in floating point: not used
  const int count = cv::connectedComponentsWithStats(mask, labels, blobs, centres, 8, CV_32S);
  std::optional<Disc> found;
  for (int blob = 1; blob < count; ++blob) {
    const auto* box = blobs.ptr<int>(blob);
    const int width = box[cv::CC_STAT_WIDTH];
    const int height = box[cv::CC_STAT_HEIGHT];
    const int pixels = box[cv::CC_STAT_AREA];
    if (!is_disc(options, width, height, pixels)) continue;
    const Disc disc{2 * box[cv::CC_STAT_LEFT] + width - 1, 2 * box[cv::CC_STAT_TOP] + height - 1,
                    width + height, pixels};
    if (!found || is_better(disc, *found)) found = disc;
  }
  return found;
}

}  // namespace ligament::nodes::driving
