// SPDX-License-Identifier: Apache-2.0
#include "kernels/compensation.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/scenes.hpp"

namespace ligament::nodes::driving {
namespace {

/// In float64: BT.601's luma, the levels between the outliers, and the line through them.
cv::Mat compensated_float(const cv::Mat& rgb, const CompensationOptions& options) {
  std::vector<double> luma;
  for (int row = 0; row < rgb.rows; ++row) {
    for (int column = 0; column < rgb.cols; ++column) {
      const auto& p = rgb.at<cv::Vec3b>(row, column);
      luma.push_back(0.299 * p[0] + 0.587 * p[1] + 0.114 * p[2]);
    }
  }
  std::sort(luma.begin(), luma.end());
  const auto outliers = luma.size() * options.clip_permille / 1000;
  const double low = luma[outliers];
  const double high = luma[luma.size() - 1 - outliers];
  cv::Mat result;
  rgb.convertTo(result, CV_64F, 255 / (high - low), -low * 255 / (high - low));
  return cv::min(cv::max(result, 0), 255);
}

cv::Mat compensated(const cv::Mat& rgb, const CompensationOptions& options,
                    ColourOrder order = ColourOrder::rgb) {
  cv::Mat result(rgb.size(), rgb.type());
  compensate(rgb, order, options, result);
  return result;
}

/// Brightness is rounded to a level, and its weights to 1/256: together both ends are off by up to
/// 0.7 level, which the spread multiplies; and the result is rounded once.
TEST(Compensation, IsThatOfFloat64WithinARoundedLevel) {
  const CompensationOptions options;
  for (const double along : {0.2, 2.4, 4.0}) {
    const cv::Mat picture = with_noise(scene(beside(along, 0.02), Lamp::red) * 0.5, 4, 7);
    const cv::Mat expected = compensated_float(picture, options);
    cv::Mat actual;
    compensated(picture, options).convertTo(actual, CV_64F);
    const int low = level_past(histogram_of(picture, ColourOrder::rgb), 1, true);
    const int high = level_past(histogram_of(picture, ColourOrder::rgb), 1, false);
    ASSERT_GT(high - low, options.minimum_spread);
    EXPECT_LE(cv::norm(expected, actual, cv::NORM_INF), 0.5 + 2 * 0.7 * 255 / 48);
    EXPECT_LE(cv::norm(expected, actual, cv::NORM_L1) / static_cast<double>(3 * picture.total()),
              2);
  }
}

TEST(Compensation, RoundsTheLineOfEachLevelOnce) {
  Histogram counts{};
  counts[40] = 500;
  counts[207] = 500;
  const Levels levels = levels_of(counts, {});
  for (int level = 0; level < 256; ++level) {
    const double exact = std::clamp((level - 40) * 255.0 / 167, 0.0, 255.0);
    EXPECT_EQ(levels[static_cast<std::size_t>(level)], std::floor(exact + 0.5)) << level;
  }
}

TEST(Compensation, MakesOutliersBlackAndWhite) {
  Histogram counts{};
  counts[0] = 5;  // of 1000, 5 are outliers
  counts[50] = 491;
  counts[150] = 499;
  counts[255] = 5;
  const Levels levels = levels_of(counts, {});
  EXPECT_EQ(levels[50], 0);
  EXPECT_EQ(levels[150], 255);
  EXPECT_EQ(levels[100], 128);
  counts[0] = 6;  // now they are too many to be outliers
  EXPECT_EQ(levels_of(counts, {})[0], 0);
  EXPECT_GT(levels_of(counts, {})[50], 0);
}

TEST(Compensation, LeavesAPictureWithNothingToTellApart) {
  for (const int level : {0, 17, 128, 255}) {  // a covered lens, empty ground, glare
    const cv::Mat picture = with_noise(cv::Mat(48, 64, CV_8UC3, cv::Scalar::all(level)), 3, 5);
    EXPECT_EQ(cv::norm(compensated(picture, {}), picture, cv::NORM_INF), 0) << level;
  }
}

TEST(Compensation, OfBgrIsThatOfRgb) {
  const cv::Mat rgb = scene(beside(0.3, 0));
  cv::Mat bgr;
  cv::cvtColor(rgb, bgr, cv::COLOR_RGB2BGR);
  cv::Mat back;
  cv::cvtColor(compensated(bgr, {}, ColourOrder::bgr), back, cv::COLOR_BGR2RGB);
  EXPECT_EQ(cv::norm(back, compensated(rgb, {}), cv::NORM_INF), 0);
}

}  // namespace
}  // namespace ligament::nodes::driving
