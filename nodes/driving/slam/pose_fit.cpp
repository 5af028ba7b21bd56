// SPDX-License-Identifier: Apache-2.0
#include "slam/pose_fit.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace ligament::nodes::driving::slam {

namespace {

constexpr int kRounds = 4;
constexpr int kSteps = 6;
constexpr double kBend = 2.0;  // sigmas from which a residual counts less (Huber)
constexpr double kDifference = 1e-6;

using Pixel = std::array<double, 2>;

bool seen_at(const RobotCamera& camera, const cv::Vec3d& pose, const cv::Point3d& place,
             Pixel& pixel) {
  const std::array<double, 3> where{place.x, place.y, place.z};
  double depth = 0;
  camera.project(pose.val, where.data(), pixel.data(), depth);
  return depth > 0.02;
}

struct Normal {
  cv::Matx33d matrix = cv::Matx33d::zeros();
  cv::Vec3d vector;
};

void add(const RobotCamera& camera, const cv::Vec3d& pose, const Sighting& one, Normal& normal) {
  Pixel at{};
  if (!seen_at(camera, pose, one.place, at)) return;
  const cv::Vec2d residual((one.pixel.x - at[0]) / one.sigma, (one.pixel.y - at[1]) / one.sigma);
  cv::Matx23d slope;
  for (int k = 0; k < 3; ++k) {
    cv::Vec3d moved = pose;
    moved[k] += kDifference;
    Pixel there{};
    if (!seen_at(camera, moved, one.place, there)) return;
    slope(0, k) = (there[0] - at[0]) / kDifference / one.sigma;
    slope(1, k) = (there[1] - at[1]) / kDifference / one.sigma;
  }
  const double size = cv::norm(residual);
  const double weight = size > kBend ? kBend / size : 1.0;
  normal.matrix += weight * (slope.t() * slope);
  normal.vector += weight * (slope.t() * residual);
}

void pull(const cv::Vec3d& first, const cv::Vec3d& pose, const cv::Vec3d& prior, Normal& normal) {
  for (int k = 0; k < 3; ++k) {
    if (prior[k] <= 0) continue;
    const double weight = 1 / (prior[k] * prior[k]);
    normal.matrix(k, k) += weight;
    normal.vector[k] += weight * (first[k] - pose[k]);
  }
}

}  // namespace

double misfit(const RobotCamera& camera, const PlanarPose& pose, const Sighting& sighting) {
  Pixel at{};
  if (!seen_at(camera, {pose.x, pose.y, pose.heading}, sighting.place, at)) {
    return std::numeric_limits<double>::max();
  }
  const double dx = (sighting.pixel.x - at[0]) / sighting.sigma;
  const double dy = (sighting.pixel.y - at[1]) / sighting.sigma;
  return dx * dx + dy * dy;
}

int fit_pose(const RobotCamera& camera, std::vector<Sighting>& sightings, PlanarPose& pose,
             const cv::Vec3d& prior) {
  const cv::Vec3d first(pose.x, pose.y, pose.heading);
  cv::Vec3d now = first;
  int fitting = 0;
  for (int round = 0; round < kRounds; ++round) {
    for (int step = 0; step < kSteps; ++step) {
      Normal normal;
      for (const auto& one : sightings) {
        if (one.fits) add(camera, now, one, normal);
      }
      pull(first, now, prior, normal);
      cv::Vec3d change;
      if (!cv::solve(normal.matrix, normal.vector, change, cv::DECOMP_CHOLESKY)) break;
      now += change;
      if (cv::norm(change) < 1e-7) break;
    }
    pose = {now[0], now[1], wrapped(now[2])};
    fitting = 0;
    for (auto& one : sightings) {
      one.fits = misfit(camera, pose, one) < kFits * (round + 1 < kRounds ? 4 : 1);
      fitting += one.fits ? 1 : 0;
    }
  }
  return fitting;
}

}  // namespace ligament::nodes::driving::slam
