// SPDX-License-Identifier: Apache-2.0
// Following the map from picture to picture; slam_map.cpp lets it grow, slam_loop.cpp corrects it.
#include "slam/slam.hpp"

#include <algorithm>
#include <utility>

namespace ligament::nodes::driving::slam {

namespace {

constexpr double kNear = 6;   // pixels around a point's place where it is looked for, at the end,
constexpr double kWide = 18;  // at first,
constexpr double kLost = 45;  // and where that was not enough
constexpr int kBits = 60;     // descriptors that differ in more are of different points
constexpr double kRatio = 0.85;       // the best must be so much better than the second
constexpr int kLeast = 15;            // points that agree, for a pose to be believed
constexpr double kEnough = 0.4;       // matched share of the features: no keyframe is needed
constexpr double kEnoughHere = 0.05;  // where there is a keyframe already
constexpr double kTurned = 1.2;  // a point is not looked for from where it looks otherwise, rad

}  // namespace

Slam::Slam(const RobotCamera& camera, const SlamOptions& options)
    : camera_(camera), options_(options), finder_(options.features) {}

Slam::Slam(const RobotCamera& camera, const SlamOptions& options, Map map) : Slam(camera, options) {
  map_ = std::move(map);
  is_located_ = map_.keyframes.empty();
}

SlamStep Slam::step(const cv::Mat& grey, const PlanarPose& odometry) {
  Features features = finder_.find(grey);
  SlamStep step;
  if (map_.keyframes.empty()) {
    step.tracked = true;
    add_keyframe(step, std::move(features), {}, odometry);
    odometry_ = odometry;
    return step;
  }
  if (!is_located_ && !locate(features, odometry)) {
    step.located = false;
    return step;
  }
  const PlanarPose guess = composed(last_, between(odometry_, odometry));
  std::vector<Match> matches;
  for (const double radius : {kWide, kLost}) {
    step.pose = guess;
    matches = search(features, step.pose, radius);
    step.matched = fit(features, matches, step.pose);
    if (step.matched < kLeast) continue;
    matches = search(features, step.pose, kNear);
    step.matched = fit(features, matches, step.pose);
    if (step.matched >= kLeast) break;
  }
  step.tracked = step.matched >= kLeast;
  if (!step.tracked) {
    step.pose = guess;
    matches.clear();
  }
  if (wants_keyframe(step, static_cast<int>(features.size()))) {
    add_keyframe(step, std::move(features), matches, odometry);
  }
  last_ = step.pose;
  odometry_ = odometry;
  return step;
}

/// The feature that looks most like each point, near where the point should be seen.
std::vector<Slam::Match> Slam::search(const Features& features, const PlanarPose& pose,
                                      double radius) {
  std::vector<int> taken(features.size(), kNone);
  std::vector<int> distance(features.size(), kBits + 1);
  std::vector<int> around;
  for (int p = 0; p < static_cast<int>(map_.points.size()); ++p) {
    auto& point = map_.point(p);
    if (point.gone) continue;
    const auto& born = map_.keyframe(point.born).pose;
    if (std::abs(wrapped(born.heading - pose.heading)) > kTurned) continue;
    const auto pixel = camera_.seen(pose, point.place);
    if (!pixel) continue;
    if (radius == kNear) ++point.expected;
    features.near(*pixel, radius, around);
    int best = kNone;
    int bits = kBits + 1;
    int second = 256;
    for (const int i : around) {
      const int apart =
          bits_apart(point.descriptor, features[static_cast<std::size_t>(i)].descriptor);
      if (apart < bits) {
        second = std::exchange(bits, apart);
        best = i;
      } else if (apart < second) {
        second = apart;
      }
    }
    if (best == kNone || bits > kRatio * second) continue;
    const auto at = static_cast<std::size_t>(best);
    if (bits < distance[at]) {
      distance[at] = bits;
      taken[at] = p;
    }
  }
  std::vector<Match> found;
  for (int i = 0; i < static_cast<int>(taken.size()); ++i) {
    if (taken[static_cast<std::size_t>(i)] != kNone) {
      found.push_back({i, taken[static_cast<std::size_t>(i)]});
    }
  }
  return found;
}

/// Fits the pose and keeps the matches that agree with it.
int Slam::fit(const Features& features, std::vector<Match>& matches, PlanarPose& pose) const {
  std::vector<Sighting> sightings;
  for (const auto& match : matches) {
    const auto& feature = features[static_cast<std::size_t>(match.feature)];
    sightings.push_back({map_.point(match.point).place, feature.pixel, feature.sigma});
  }
  const int fitting = fit_pose(camera_, sightings, pose);
  std::vector<Match> kept;
  for (std::size_t i = 0; i < matches.size(); ++i) {
    if (sightings[i].fits) kept.push_back(matches[i]);
  }
  matches = std::move(kept);
  return fitting;
}

bool Slam::wants_keyframe(const SlamStep& step, int features) const {
  const auto is_here = [&](const Keyframe& one) {
    return distance(one.pose, step.pose) <= options_.keyframe_distance &&
           std::abs(wrapped(one.pose.heading - step.pose.heading)) <= options_.keyframe_angle;
  };
  if (is_here(map_.keyframe(map_.newest()))) return false;
  // Where the map has most of what is seen, it need not grow; where a keyframe was made before,
  // less is enough. So the map of a way that is driven again and again levels off.
  const bool was_here = std::any_of(map_.keyframes.begin(), map_.keyframes.end(), is_here);
  return step.matched < features * (was_here ? kEnoughHere : kEnough);
}

}  // namespace ligament::nodes::driving::slam
