// SPDX-License-Identifier: Apache-2.0
// SLAM against drawn pictures whose poses are known: parts first, then drives.
#include "slam/slam.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "scene.hpp"
#include "trajectory.hpp"

namespace ligament::nodes::driving::slam {
namespace {

const RobotCamera kCamera({640, 480}, 0.14, 0.05, 25, 80);

TEST(SlamCamera, APixelsRayMeetsThePointThatIsSeenThere) {
  const PlanarPose pose{0.3, -0.2, 0.7};
  const cv::Point3d point(0.9, 0.4, 0.2);
  const auto pixel = kCamera.seen(pose, point);
  ASSERT_TRUE(pixel);
  const cv::Vec3d ray = kCamera.ray(pose, *pixel);
  const cv::Point3d from = kCamera.centre(pose);
  const double depth = (point.z - from.z) / ray[2];
  EXPECT_NEAR(from.x + depth * ray[0], point.x, 1e-9);
  EXPECT_NEAR(from.y + depth * ray[1], point.y, 1e-9);
  EXPECT_FALSE(kCamera.seen(pose, {-1, -1, 0})) << "it is behind the camera";
}

TEST(SlamCamera, TheMiddleRowOfTheGroundIsWherePitchAndHeightHaveIt) {
  const auto point = kCamera.on_ground({0, 0, 0}, {319.5, 239.5}, 10);
  ASSERT_TRUE(point);
  EXPECT_NEAR(point->x, 0.05 + 0.14 / std::tan(25 * std::numbers::pi / 180), 1e-9);
  EXPECT_NEAR(point->y, 0, 1e-9);
  EXPECT_FALSE(kCamera.on_ground({0, 0, 0}, {319.5, 20}, 10)) << "that is above the horizon";
}

TEST(SlamPoses, AStepLeadsBack) {
  const PlanarPose one{1, 2, 3};
  const PlanarPose other{-0.5, 0.25, -3};
  const PlanarPose there = composed(one, between(one, other));
  EXPECT_NEAR(distance(there, other), 0, 1e-12);
  EXPECT_NEAR(wrapped(there.heading - other.heading), 0, 1e-12);
}

TEST(SlamPoseFit, FindsThePoseAmongWrongSightings) {
  const PlanarPose real{0.2, 0.1, 0.3};
  std::mt19937 random(3);
  std::uniform_real_distribution<double> any(-0.4, 0.4);
  std::vector<Sighting> sightings;
  sightings.reserve(60);
  while (sightings.size() < 60) {
    const cv::Point3d place(0.8 + any(random), 0.3 + any(random), 0.4 + any(random));
    const auto pixel = kCamera.seen(real, place);
    if (!pixel) continue;
    const bool wrong = sightings.size() % 4 == 0;
    sightings.push_back({place, *pixel + cv::Point2d(wrong ? 60 : 0, wrong ? -45 : 0)});
  }
  PlanarPose found{0.25, 0.06, 0.25};
  EXPECT_EQ(fit_pose(kCamera, sightings, found), 45);
  EXPECT_NEAR(distance(found, real), 0, 1e-4);
  EXPECT_NEAR(found.heading, real.heading, 1e-4);
  EXPECT_FALSE(sightings[0].fits);
}

TEST(SlamBundle, LinksSpreadTheDriftOverTheWay) {
  Map map;
  for (int k = 0; k < 5; ++k) map.keyframes.push_back({{0.5 * k, 0, 0}, {}, {}, {}});
  map.points.push_back({{2.0, 1.0, 0.5}, {}, {}, false, false, 4});
  std::vector<Link> links;
  links.reserve(5);
  for (int k = 0; k < 4; ++k) links.push_back({k, k + 1, {0.5, 0, 0}});
  links.push_back({0, 4, {1.6, 0, 0}, 1000});
  relax(map, links);
  EXPECT_NEAR(map.keyframes[4].pose.x, 1.6, 1e-3);
  EXPECT_NEAR(map.keyframes[2].pose.x, 0.8, 1e-3);
  EXPECT_NEAR(map.points[0].place.x, 1.6, 1e-3) << "a point goes with its keyframe";
  EXPECT_NEAR(map.points[0].place.z, 0.5, 1e-12);
}

/// Exact sightings: the adjustment ends where poses and points really are.
TEST(SlamBundle, PosesAndPointsGoToWhereTheyWereSeen) {
  const std::vector<PlanarPose> real{{0, 0, 0}, {0.15, 0, 0}, {0.3, 0.05, 0.15}};
  std::mt19937 random(5);
  std::uniform_real_distribution<double> any(-1, 1);
  Map map;
  std::vector<cv::Point3d> places;
  for (const PlanarPose& pose : real)
    map.keyframes.push_back({pose, Features(kCamera.size()), {}, pose});
  while (places.size() < 60) {
    const cv::Point3d place(1.1 + 0.3 * any(random), 0.3 * any(random), 0.2 + 0.2 * any(random));
    const auto is_seen = [&](const PlanarPose& pose) {
      return kCamera.seen(pose, place).has_value();
    };
    if (!std::ranges::all_of(real, is_seen)) continue;
    const int number = static_cast<int>(places.size());
    const auto off = [&] { return 0.01 * any(random); };
    map.points.push_back({place + cv::Point3d(off(), off(), off()), {}, {}, false, false, 2});
    for (int k = 0; k < 3; ++k) {
      auto& keyframe = map.keyframe(k);
      keyframe.features.add({*kCamera.seen(keyframe.pose, place)});
      keyframe.points.push_back(kNone);
      map.observe(number, k, number);
    }
    places.push_back(place);
  }
  for (const int k : {1, 2}) {
    map.keyframe(k).pose.x += 0.015;
    map.keyframe(k).pose.y -= 0.01;
    map.keyframe(k).pose.heading += 0.01;
  }
  adjust(kCamera, map, {1, 2});
  for (std::size_t k = 0; k < real.size(); ++k) {
    EXPECT_NEAR(distance(map.keyframes[k].pose, real[k]), 0, 1e-3) << k;
    EXPECT_NEAR(map.keyframes[k].pose.heading, real[k].heading, 1e-3) << k;
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    EXPECT_FALSE(map.points[i].gone) << i;
    EXPECT_NEAR(cv::norm(map.points[i].place - places[i]), 0, 5e-3) << i;
  }
}

TEST(SlamTrajectory, TheErrorIsLeftAfterTurnAndScale) {
  const std::vector<PlanarPose> real{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  std::vector<PlanarPose> found;
  for (const auto& pose : real) found.push_back({5 - 2 * pose.y, 3 + 2 * pose.x, 0});
  EXPECT_NEAR(aligned(found, real).rmse, 0, 1e-12);
  EXPECT_NEAR(aligned(found, real).scale, 0.5, 1e-12);
  found = real;
  found[0].x += 0.4;
  EXPECT_GT(aligned(found, real).rmse, 0.1);
}

/// Wheels that slip: what they tell is longer than the way, and turns too far.
class Wheels {
 public:
  Wheels(double longer, double turned) : longer_(longer), turned_(turned) {}
  /// `more`: how much more they slip now.
  PlanarPose tell(const PlanarPose& real, double more) {
    if (begun_) {
      const PlanarPose step = between(last_, real);
      const double longer = longer_ + more;
      told_ = composed(told_, {step.x * longer, step.y * longer, step.heading * (turned_ + more)});
    }
    begun_ = true;
    last_ = real;
    return told_;
  }

 private:
  double longer_;
  double turned_;
  bool begun_ = false;
  PlanarPose last_;
  PlanarPose told_;
};

struct Driven {
  std::vector<PlanarPose> real, found, wheels;
  std::size_t closed = 0;  ///< the last picture that closed the way; 0: none did
  int lost = 0;
  std::vector<std::size_t> points, keyframes;
};

/// `dark`: pictures in which nothing is seen, and the wheels slip by so much more.
Driven drive(double rounds, Wheels wheels, std::pair<int, int> dark = {0, 0}, double more = 0) {
  constexpr double kStep = 0.03;
  constexpr double kRound = 2 * std::numbers::pi * 0.85;
  Slam slam(kCamera, {});
  Driven driven;
  const int count = static_cast<int>(rounds * kRound / kStep);
  for (int i = 0; i < count; ++i) {
    const PlanarPose real = on_circle(i * kStep);
    const bool is_dark = i >= dark.first && i < dark.second;
    const PlanarPose told = wheels.tell(real, is_dark ? more : 0);
    const cv::Mat picture =
        is_dark ? cv::Mat(kCamera.size(), CV_8UC1, cv::Scalar(90)) : draw_room(kCamera, real);
    const SlamStep step = slam.step(picture, told);
    driven.real.push_back(real);
    driven.wheels.push_back(told);
    driven.found.push_back(step.pose);
    driven.points.push_back(slam.map().living());
    driven.keyframes.push_back(slam.map().keyframes.size());
    if (step.closed) driven.closed = static_cast<std::size_t>(i);
    driven.lost += step.tracked ? 0 : 1;
  }
  return driven;
}

TEST(SlamDrive, TheErrorIsWithinTwoPercentAndBelowThatOfTheWheels) {
  const Driven driven = drive(1.5, {1.03, 1.04});
  const double way = path_length(driven.real);
  const double error = aligned(driven.found, driven.real).rmse;
  RecordProperty("error_mm", std::to_string(1000 * error));
  EXPECT_LT(error, 0.02 * way);
  EXPECT_LT(error, 0.5 * aligned(driven.wheels, driven.real).rmse);
  EXPECT_LT(driven.lost, static_cast<int>(driven.real.size()) / 10);
  // The map is kept: the second round adds little.
  const std::size_t round = driven.points.size() * 2 / 3;
  EXPECT_LT(driven.points.back(), driven.points[round] * 3 / 2);
  RecordProperty("keyframes", std::to_string(driven.keyframes[round]) + " then " +
                                  std::to_string(driven.keyframes.back()));
  EXPECT_LT(driven.keyframes.back(), driven.keyframes[round] * 5 / 4);
}

TEST(SlamDrive, APlaceThatIsSeenAgainClosesTheWay) {
  const Driven driven = drive(1.5, {1.02, 1.02}, {70, 110}, 0.2);
  EXPECT_GE(driven.lost, 40);
  ASSERT_GT(driven.closed, 0U);
  double worst = 0;
  const auto off = [&](std::size_t i) {
    return distance(driven.found[i], between(driven.real.front(), driven.real[i]));
  };
  for (std::size_t i = 0; i < driven.real.size(); ++i) worst = std::max(worst, off(i));
  EXPECT_GT(worst, 0.2) << "the wheels slipped in the dark";
  EXPECT_LT(off(driven.closed + 5), 0.05) << "and it is known again where the robot is";
  EXPECT_LT(aligned(driven.found, driven.real).rmse, 0.02 * path_length(driven.real));
}

TEST(SlamDrive, WithoutAPictureItGoesByTheWheels) {
  const Driven driven = drive(0.2, {1.0, 1.0}, {0, 1000});
  EXPECT_LT(aligned(driven.found, driven.real).rmse, 1e-6);
  EXPECT_EQ(driven.lost, static_cast<int>(driven.real.size()) - 1);
}

}  // namespace
}  // namespace ligament::nodes::driving::slam
