// SPDX-License-Identifier: Apache-2.0
#include "kernels/ground_view.hpp"

#include <gtest/gtest.h>

#include <opencv2/calib3d.hpp>

#include "tests/scenes.hpp"

namespace ligament::nodes::driving {
namespace {

/// The homography from the view's pixels to the picture's, by OpenCV in float64: four corners of
/// the ground, projected with cv::projectPoints, give the plane's map.
cv::Mat homography(const MountedCamera& camera, const GroundRectangle& rectangle) {
  const double pitch = camera.pitch_down * CV_PI / 180;
  const double focal = camera.width / 2.0 / std::tan(camera.horizontal_fov * CV_PI / 360);
  const cv::Matx33d intrinsic{
      focal, 0, (camera.width - 1) / 2.0, 0, focal, (camera.height - 1) / 2.0, 0, 0, 1};
  // From x ahead, y left, z up to the camera's x right, y down, z ahead; then pitched down.
  const cv::Matx33d axes{0, -1, 0, 0, 0, -1, 1, 0, 0};
  const cv::Matx33d pitched{
      1, 0, 0, 0, std::cos(pitch), -std::sin(pitch), 0, std::sin(pitch), std::cos(pitch)};
  const cv::Matx33d rotation = pitched * axes;
  const cv::Vec3d place{camera.ahead, 0, camera.above_ground};
  const cv::Vec3d shift = rotation * place * -1.0;
  std::vector<cv::Point3d> ground;
  std::vector<cv::Point2f> pixels{
      {0, 0},
      {static_cast<float>(rectangle.columns), 0},
      {0, static_cast<float>(rectangle.rows)},
      {static_cast<float>(rectangle.columns), static_cast<float>(rectangle.rows)}};
  for (const auto& pixel : pixels) {
    const double length = (rectangle.far_edge - rectangle.near_edge) / rectangle.rows;
    const double width = 2 * rectangle.half_width / rectangle.columns;
    ground.emplace_back(rectangle.far_edge - (pixel.y + 0.5) * length,
                        rectangle.half_width - (pixel.x + 0.5) * width, 0);
  }
  cv::Vec3d turn;
  cv::Rodrigues(rotation, turn);
  std::vector<cv::Point2d> seen;
  cv::projectPoints(ground, turn, shift, intrinsic, cv::noArray(), seen);
  std::vector<cv::Point2d> from;
  for (const auto& pixel : pixels) from.emplace_back(pixel);
  return cv::findHomography(from, seen);
}

const MountedCamera kCameras[] = {
    {},
    {.above_ground = 0.3, .ahead = 0, .pitch_down = 40, .horizontal_fov = 62.2},
    {.width = 320, .height = 240, .pitch_down = 15, .horizontal_fov = 100}};

/// Each place is rounded to 1/32 pixel, its column after a sum of 1000 steps in Q16.
TEST(GroundView, PlacesAreThoseOfTheHomographyInFloat64) {
  const GroundRectangle rectangle;
  for (const MountedCamera& camera : kCameras) {
    const cv::Matx33d h = homography(camera, rectangle);
    const auto view = GroundView::create(camera, rectangle);
    ASSERT_TRUE(view);
    double worst = 0;
    for (int row = 0; row < rectangle.rows; row += 7) {
      const auto& from = view->rows()[static_cast<std::size_t>(row)];
      for (int column = 0; column < rectangle.columns; column += 9) {
        const cv::Vec3d place = h * cv::Vec3d(column, row, 1);
        const std::int64_t column_32 = (from.column_q16 + column * from.step_q16) >> 11;
        worst =
            std::max({worst, std::abs(place[0] / place[2] - static_cast<double>(column_32) / 32),
                      std::abs(place[1] / place[2] - from.row_32 / 32.0)});
      }
    }
    EXPECT_LE(worst, 1.0 / 64 + 1000.0 / 131072 + 1e-6);
  }
}

int bilinear(const cv::Mat& picture, std::int64_t column_32, std::int64_t row_32, int channel) {
  const auto at = [&](std::int64_t row, std::int64_t column) {
    const bool inside = row >= 0 && row < picture.rows && column >= 0 && column < picture.cols;
    return inside ? int{picture.at<cv::Vec3b>(static_cast<int>(row),
                                              static_cast<int>(column))[channel]}
                  : 0;
  };
  const int a = static_cast<int>(column_32 & 31);
  const int b = static_cast<int>(row_32 & 31);
  const std::int64_t row = row_32 >> 5;
  const std::int64_t column = column_32 >> 5;
  return ((32 - b) * ((32 - a) * at(row, column) + a * at(row, column + 1)) +
          b * ((32 - a) * at(row + 1, column) + a * at(row + 1, column + 1)) + 512) >>
         10;
}

/// What hardware is to compute: the table, two fractions, eight products.
TEST(GroundView, WarpsAsItsTableSaysBitByBit) {
  cv::Mat picture(480, 640, CV_8UC3);
  cv::RNG random(3);
  random.fill(picture, cv::RNG::UNIFORM, 0, 256);
  const GroundView view = standard_view();
  const cv::Mat result = above(picture);
  int wrong = 0;
  for (int row = 0; row < result.rows; ++row) {
    const auto& from = view.rows()[static_cast<std::size_t>(row)];
    for (int column = 0; column < result.cols; ++column) {
      const std::int64_t column_32 = (from.column_q16 + column * from.step_q16) >> 11;
      for (int channel = 0; channel < 3; ++channel) {
        wrong += result.at<cv::Vec3b>(row, column)[channel] !=
                         bilinear(picture, column_32, from.row_32, channel)
                     ? 1
                     : 0;
      }
    }
  }
  EXPECT_EQ(wrong, 0);
}

/// Against exact places and float64 weights: a place is off by up to 1/32 pixel in each direction,
/// so a result by that part of the picture's steepest step; and it is rounded.
TEST(GroundView, IsThatOfFloat64WithinAThirtysecondOfAStep) {
  const cv::Mat picture = scene(beside(1.0, 0.03, 0.1));
  const cv::Matx33d h = homography({}, {});
  const cv::Mat result = above(picture);
  double sum = 0;
  double worst = 0;
  int counted = 0;
  for (int row = 0; row < result.rows; row += 3) {
    for (int column = 0; column < result.cols; column += 3) {
      const cv::Vec3d place = h * cv::Vec3d(column, row, 1);
      const double x = place[0] / place[2];
      const double y = place[1] / place[2];
      if (x < 0 || y < 0 || x >= picture.cols - 1 || y >= picture.rows - 1) continue;
      const int x0 = static_cast<int>(x);
      const int y0 = static_cast<int>(y);
      const auto at = [&](int r, int c) { return double(picture.at<cv::Vec3b>(r, c)[1]); };
      const double exact =
          (1 - (y - y0)) * ((1 - (x - x0)) * at(y0, x0) + (x - x0) * at(y0, x0 + 1)) +
          (y - y0) * ((1 - (x - x0)) * at(y0 + 1, x0) + (x - x0) * at(y0 + 1, x0 + 1));
      const double off = std::abs(exact - result.at<cv::Vec3b>(row, column)[1]);
      worst = std::max(worst, off);
      sum += off;
      ++counted;
    }
  }
  ASSERT_GT(counted, 30'000);
  EXPECT_LE(worst, 2 * 255.0 / 32 + 0.5);
  EXPECT_LE(sum / counted, 0.5);
}

TEST(GroundView, ShowsAPointOfTheGroundWhereItLies) {
  Track track;
  const Pose pose = beside(0.5, 0.0);
  const cv::Mat view = above(scene(pose, Lamp::off, track));
  const GroundScale scale{GroundRectangle{}};
  // The white stripe's middle lies 0.15 m to the right, in each row.
  for (const double ahead : {0.30, 0.45, 0.6}) {
    const int row = scale.row_of(to_fixed(ahead, 33));
    const auto& left = view.at<cv::Vec3b>(row, 650 - 11);
    const auto& right = view.at<cv::Vec3b>(row, 650 + 10);
    EXPECT_GT(left[2], 200) << ahead;
    EXPECT_GT(right[2], 200) << ahead;
    EXPECT_LT(view.at<cv::Vec3b>(row, 650 - 20)[2], 100) << ahead;
    EXPECT_LT(view.at<cv::Vec3b>(row, 650 + 19)[2], 100) << ahead;
  }
}

TEST(GroundView, TakesTheNearestPixelOfClasses) {
  cv::Mat classes(480, 640, CV_8UC1, cv::Scalar(127));
  cv::Mat result(600, 1000, CV_8UC1);
  standard_view().warp_nearest(classes, result);
  for (int row = 0; row < result.rows; ++row) {
    for (int column = 0; column < result.cols; ++column) {
      const int value = result.at<std::uint8_t>(row, column);
      ASSERT_TRUE(value == 0 || value == 127);
    }
  }
  EXPECT_EQ(result.at<std::uint8_t>(300, 500), 127);
}

TEST(GroundView, RefusesWhatNoCameraSees) {
  GroundRectangle turned;
  turned.far_edge = 0.1;
  const auto far_before_near = GroundView::create({}, turned);
  ASSERT_FALSE(far_before_near);
  EXPECT_NE(far_before_near.error().find("`far_edge`"), std::string::npos);
  GroundRectangle behind;
  behind.near_edge = -0.5;
  const auto unseen = GroundView::create({}, behind);
  ASSERT_FALSE(unseen);
  EXPECT_NE(unseen.error().find("`near_edge`"), std::string::npos);
}

TEST(GroundScale, IsThatOfFloat64WithinAUnit) {
  const GroundRectangle rectangle;
  const GroundScale scale(rectangle);
  for (int row = -50; row < 700; row += 13) {
    for (int column = -300; column < 1300; column += 17) {
      const GroundPoint point =
          scale.point(std::int64_t{column} * 65536 + 321, std::int64_t{row} * 65536 + 77);
      EXPECT_NEAR(from_fixed(point.x), 0.80 - (row + 77.0 / 65536 + 0.5) * 0.001, 1.0 / 65536);
      EXPECT_NEAR(from_fixed(point.y), 0.50 - (column + 321.0 / 65536 + 0.5) * 0.001, 1.0 / 65536);
    }
  }
}

}  // namespace
}  // namespace ligament::nodes::driving
