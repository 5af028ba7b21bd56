// SPDX-License-Identifier: Apache-2.0
#include "kernels/lane_curve.hpp"

#include <gtest/gtest.h>

#include "tests/scenes.hpp"

namespace ligament::nodes::driving {
namespace {

/// Least squares in float64 by a QR decomposition: not by normal equations.
std::vector<double> fitted_float(const std::vector<cv::Point2d>& points, int degree) {
  cv::Mat a(static_cast<int>(points.size()), degree + 1, CV_64F);
  cv::Mat b(static_cast<int>(points.size()), 1, CV_64F);
  for (int i = 0; i < a.rows; ++i) {
    const auto& point = points[static_cast<std::size_t>(i)];
    for (int k = 0; k <= degree; ++k) a.at<double>(i, k) = std::pow(point.x / 300, k);
    b.at<double>(i) = point.y;
  }
  cv::Mat x;
  cv::solve(a, b, x, cv::DECOMP_QR);
  std::vector<double> result;
  for (int k = 0; k <= degree; ++k) result.push_back(x.at<double>(k) / std::pow(300, k));
  return result;
}

/// Sums and determinants are exact: what is left is the rounding of three coefficients.
TEST(Polynomial, IsThatOfFloat64WithinItsFormat) {
  cv::RNG random(5);
  for (int trial = 0; trial < 50; ++trial) {
    CurveFit fit;
    std::vector<cv::Point2d> points;
    const double bend = random.uniform(-0.002, 0.002);
    const double slope = random.uniform(-1.0, 1.0);
    for (int t = -300; t < 300; t += random.uniform(1, 4)) {
      const int twice = static_cast<int>(2 * (400 + slope * t + bend * t * t + random.gaussian(3)));
      if (twice < 0) continue;
      fit.add(t, twice);
      points.emplace_back(t, twice / 2.0);
    }
    for (const int degree : {1, 2}) {
      const auto exact = fitted_float(points, degree);
      const auto curve = fit.solve(degree, 2);
      ASSERT_TRUE(curve);
      EXPECT_NEAR(from_fixed(curve->a_q16), exact[0], 0x1p-16);
      EXPECT_NEAR(from_fixed(curve->b_q24, 24), exact[1], 0x1p-24);
      if (degree == 2) {
        EXPECT_NEAR(from_fixed(curve->c_q32, 32), exact[2], 0x1p-32);
      }
      for (const int t : {-300, -17, 0, 299}) {
        double x = 0;
        for (int k = degree; k >= 0; --k) x = x * t + exact[static_cast<std::size_t>(k)];
        EXPECT_NEAR(from_fixed(curve->at(t)), x, 0x1p-14);
        const double steepness = exact[1] + (degree == 2 ? 2 * exact[2] * t : 0);
        EXPECT_NEAR(from_fixed(curve->slope_at(t)), steepness, 0x1p-14);
      }
    }
  }
}

TEST(Polynomial, NeedsEnoughDifferentPlaces) {
  CurveFit fit;
  EXPECT_FALSE(fit.solve(1));
  for (int i = 0; i < 5; ++i) fit.add(7, 100 + i);
  EXPECT_FALSE(fit.solve(1));
  fit.add(8, 100);
  EXPECT_TRUE(fit.solve(1));
  EXPECT_FALSE(fit.solve(2));
  fit.add(9, 100);
  EXPECT_TRUE(fit.solve(2));
}

/// The largest that a view may have: 1024 rows, 4096 columns.
TEST(Polynomial, OverflowsNowhere) {
  CurveFit fit;
  for (int t = -512; t < 512; ++t) fit.add(t, 2 * 4095);
  const auto curve = fit.solve(2, 2);
  ASSERT_TRUE(curve);
  EXPECT_EQ(curve->at(-512), 4095LL << 16);
  EXPECT_EQ(curve->at(511), 4095LL << 16);
}

std::vector<GroundPoint> points_of(const cv::Mat& mask) {
  LaneCurveFinder finder({}, {});
  return finder.find(mask);
}

double worst_offset(const std::vector<GroundPoint>& points, const Pose& pose) {
  double worst = 0;
  for (const auto& point : points) worst = std::max(worst, std::abs(offset_of(point, pose)));
  return worst;
}

/// On the road: within 15 mm of the lane's middle everywhere, in curves too.
TEST(LaneCurve, FollowsTheLanesMiddle) {
  for (const double along : {0.4, 1.6, 2.2, 3.0}) {
    for (const double offset : {-0.05, 0.0, 0.05}) {
      const Pose pose = beside(along, offset, offset);
      const auto points = points_of(mask_above(scene(pose)));
      ASSERT_EQ(points.size(), 6U) << along << " " << offset;
      EXPECT_LE(worst_offset(points, pose), 0.015) << along << " " << offset;
      for (std::size_t i = 1; i < points.size(); ++i) EXPECT_GT(points[i].x, points[i - 1].x);
    }
  }
}

TEST(LaneCurve, LiesBesideASingleStripe) {
  Track no_white;
  no_white.white = false;
  Track no_yellow;
  no_yellow.yellow = false;
  for (const Track& track : {no_white, no_yellow}) {
    for (const double along : {0.4, 2.6}) {
      const Pose pose = beside(along, 0.0);
      const auto points = points_of(mask_above(scene(pose, Lamp::off, track)));
      ASSERT_EQ(points.size(), 6U);
      EXPECT_LE(worst_offset(points, pose), 0.02) << along;
    }
  }
}

TEST(LaneCurve, StandsWornMarkingsAndNoise) {
  const Pose pose = beside(2.2, 0.02);
  cv::Mat mask = mask_above(with_noise(scene(pose), 10, 2));
  for (int row = 0; row < 600; ++row) {
    if (row % 120 < 50) mask.row(row).setTo(kGround);
  }
  const auto points = points_of(mask);
  ASSERT_EQ(points.size(), 6U);
  EXPECT_LE(worst_offset(points, pose), 0.015);
}

TEST(LaneCurve, IsEmptyWithoutALane) {
  EXPECT_TRUE(points_of(cv::Mat(600, 1000, CV_8UC1, cv::Scalar(kGround))).empty());
  EXPECT_TRUE(points_of(cv::Mat(600, 1000, CV_8UC1, cv::Scalar(kWhite))).empty());
  cv::Mat specks(600, 1000, CV_8UC1);
  cv::RNG random(9);
  random.fill(specks, cv::RNG::UNIFORM, 0, 256);
  EXPECT_TRUE(points_of(specks).empty());
}

}  // namespace
}  // namespace ligament::nodes::driving
