// SPDX-License-Identifier: Apache-2.0
#include "kernels/lane_centre.hpp"

#include <gtest/gtest.h>

#include "tests/scenes.hpp"

namespace ligament::nodes::driving {
namespace {

/// As Lane Following's node does with its default parameters.
std::optional<LaneCentre> centre_of(const cv::Mat& view, int first = 540, int last = 600) {
  LaneFinder finder(LaneShape{}, view.cols);
  std::vector<std::uint8_t> classes(static_cast<std::size_t>(view.cols));
  finder.begin(last - first);
  for (int row = first; row < last; ++row) {
    classify({}, ColourOrder::rgb, view.ptr<std::uint8_t>(row), classes);
    finder.add_row(classes);
  }
  return finder.finish();
}

GroundPoint point_of(const LaneCentre& centre) {
  return GroundScale(GroundRectangle{}).point(centre.column_q8 * 256, (540LL + 599) << 15);
}

/// The mean of all runs' centres that belong to a stripe, in float64.
double centre_float(const cv::Mat& view) {
  double sums[2] = {0, 0};
  double counts[2] = {0, 0};
  for (int row = 410; row < 490; ++row) {
    std::vector<std::uint8_t> classes(static_cast<std::size_t>(view.cols));
    classify({}, ColourOrder::rgb, view.ptr<std::uint8_t>(row), classes);
    for (int which = 0; which < 2; ++which) {
      double begin = -1;
      for (int column = 0; column < view.cols; ++column) {
        const bool is =
            classes[static_cast<std::size_t>(column)] == (which == 0 ? kYellow : kWhite);
        if (is && begin < 0) begin = column;
        if (!is && begin >= 0) {
          if (column - begin >= 12) {
            sums[which] += (begin + column - 1) / 2;
            counts[which] += 1;
          }
          begin = -1;
        }
      }
    }
  }
  return (sums[0] / counts[0] + sums[1] / counts[1]) / 2;
}

/// Means of whole numbers, rounded to Q8: two roundings of half a unit each, and their mean's.
TEST(LaneCentre, IsTheMeanInFloat64WithinTwoUnits) {
  for (const double offset : {-0.05, 0.0, 0.07}) {
    const cv::Mat view = above(scene(beside(0.4, offset)));
    const auto centre = centre_of(view, 410, 490);
    ASSERT_TRUE(centre);
    EXPECT_EQ(centre->stripes, 2);
    EXPECT_NEAR(static_cast<double>(centre->column_q8) / 256, centre_float(view), 2.0 / 256);
  }
}

/// On the road: within 5 mm on straights, and within 10 mm in curves, where the
/// band of 6 cm bends, and one stripe may be out of sight.
TEST(LaneCentre, LiesInTheLanesMiddle) {
  for (const double offset : {-0.06, 0.0, 0.06}) {
    for (const double turned : {-0.2, 0.0, 0.2}) {
      for (const auto& [along, most] : {std::pair{0.4, 0.005}, std::pair{3.0, 0.010}}) {
        const Pose pose = beside(along, offset, turned);
        const auto centre = centre_of(above(scene(pose)));
        ASSERT_TRUE(centre) << offset << " " << turned << " " << along;
        EXPECT_NEAR(offset_of(point_of(*centre), pose), 0, most)
            << offset << " " << turned << " " << along;
      }
    }
  }
}

TEST(LaneCentre, StandsNoiseAndDimLight) {
  const Pose pose = beside(0.4, 0.03);
  for (const double light : {0.75, 1.0}) {
    const auto centre = centre_of(above(with_noise(scene(pose) * light, 8, 11)));
    ASSERT_TRUE(centre) << light;
    EXPECT_NEAR(offset_of(point_of(*centre), pose), 0, 0.006);
  }
}

TEST(LaneCentre, LiesHalfALaneBesideASingleStripe) {
  Track no_white;
  no_white.white = false;
  Track no_yellow;
  no_yellow.yellow = false;
  const Pose pose = beside(0.4, 0.03);
  for (const Track& track : {no_white, no_yellow}) {
    const auto centre = centre_of(above(scene(pose, Lamp::off, track)));
    ASSERT_TRUE(centre);
    EXPECT_EQ(centre->stripes, 1);
    EXPECT_NEAR(offset_of(point_of(*centre), pose), 0, 0.006);
  }
}

TEST(LaneCentre, IsNoneWithoutStripesAndInGlare) {
  Track bare;
  bare.white = bare.yellow = false;
  EXPECT_FALSE(centre_of(above(scene(beside(0.4, 0), Lamp::off, bare))));
  EXPECT_FALSE(centre_of(cv::Mat(600, 1000, CV_8UC3, cv::Scalar::all(255))));
  EXPECT_FALSE(centre_of(cv::Mat(600, 1000, CV_8UC3, cv::Scalar::all(0))));
}

TEST(LaneCentre, IsNotMovedByAStopLineOrAPatchOfGlare) {
  const Pose pose = beside(0.4, 0);
  cv::Mat view = above(scene(pose));
  const auto without = centre_of(view);
  cv::rectangle(view, {360, 555}, {640, 585}, cv::Scalar::all(240), cv::FILLED);  // a stop line
  cv::circle(view, {150, 570}, 80, cv::Scalar::all(255), cv::FILLED);
  const auto with = centre_of(view);
  ASSERT_TRUE(without && with);
  EXPECT_NEAR(static_cast<double>(with->column_q8), static_cast<double>(without->column_q8), 256);
}

TEST(LaneCentre, StandsWornMarkings) {
  const Pose pose = beside(0.4, 0);
  cv::Mat view = above(scene(pose));
  for (int row = 540; row < 600; row += 2) {  // half of each stripe is gone
    view.row(row).setTo(cv::Scalar(60, 60, 62));
  }
  const auto centre = centre_of(view);
  ASSERT_TRUE(centre);
  EXPECT_NEAR(offset_of(point_of(*centre), pose), 0, 0.006);
}

TEST(LaneCentre, DropsTheWeakerOfTwoThatAreNoLane) {
  const LaneShape shape;
  const Stripe left{400 * 256, 60};
  const auto near = centre_between(left, Stripe{480 * 256, 30}, shape);
  ASSERT_TRUE(near);
  EXPECT_EQ(near->column_q8, (400 + 150) * 256);
  const auto crossed = centre_between(left, Stripe{300 * 256, 80}, shape);
  ASSERT_TRUE(crossed);
  EXPECT_EQ(crossed->column_q8, (300 - 150) * 256);
  EXPECT_EQ(centre_between(left, Stripe{700 * 256, 30}, shape)->stripes, 2);
  EXPECT_FALSE(centre_between(std::nullopt, std::nullopt, shape));
}

TEST(StripeVotes, NeedEnoughRows) {
  StripeVotes votes(100);
  for (int i = 0; i < 10; ++i) votes.add(80 + i % 3, i >= 5);
  EXPECT_TRUE(votes.best(20, 10, 10));
  EXPECT_FALSE(votes.best(20, 11, 10));
  EXPECT_EQ(votes.best(20, 1, 10)->column_q8,
            divide_rounded<std::int64_t>(128 * (80 * 4 + 81 * 3 + 82 * 3), 10));
  votes.clear();
  EXPECT_FALSE(votes.best(20, 0, 10));
}

TEST(StripeVotes, TellTheSlant) {
  StripeVotes votes(1000);
  for (int row = 0; row < 80; ++row) votes.add(800 + row, row >= 40);  // half a column per row
  const auto stripe = votes.best(40, 20, 80);
  ASSERT_TRUE(stripe);
  EXPECT_EQ(stripe->votes, 80U);
  EXPECT_EQ(stripe->slope_q16, kOne / 2);
  EXPECT_NEAR(from_fixed(along_row(100 * 256, kOne / 2), 8), 100 * std::sqrt(1.25), 0x1p-8);
  EXPECT_NEAR(from_fixed(along_row(100 * 256, -kOne), 8), 100 * std::sqrt(2.0), 0x1p-8);
}

TEST(Runs, AreTakenByTheirWidthAndWhole) {
  std::vector<std::uint8_t> row(100, kGround);
  const auto fill = [&](std::size_t from, std::size_t to, std::uint8_t with) {
    std::fill(row.begin() + static_cast<std::ptrdiff_t>(from),
              row.begin() + static_cast<std::ptrdiff_t>(to), with);
  };
  fill(0, 14, kWhite);    // goes on outside
  fill(20, 31, kWhite);   // 11: too narrow
  fill(35, 47, kWhite);   // 12
  fill(47, 60, kYellow);  // another class
  fill(85, 100, kWhite);  // goes on outside
  std::vector<int> centres;
  find_runs(row, kWhite, StripeShape{}, [&](int centre) { centres.push_back(centre); });
  EXPECT_EQ(centres, std::vector<int>{35 + 46});
}

}  // namespace
}  // namespace ligament::nodes::driving
