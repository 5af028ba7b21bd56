// SPDX-License-Identifier: Apache-2.0
// Keyframes: which points they see, which points they add, which points were none.
#include <algorithm>

#include "slam/slam.hpp"

namespace ligament::nodes::driving::slam {

namespace {

constexpr int kPartners = 4;        // earlier keyframes that are triangulated with
constexpr double kBaseline = 0.03;  // m: nearer ones show a point under the same angle
constexpr int kBits = 45;
constexpr double kRatio = 0.8;
constexpr double kParallax = 0.9998;  // cosine of 1.1 degrees: rays that differ less meet anywhere
constexpr double kLow = -0.03;
constexpr double kHigh = 2.0;
constexpr int kYoung = 3;  // keyframes after which a point must have been seen by three

/// Where two rays are nearest to each other, in the middle.
std::optional<cv::Point3d> meeting(const cv::Point3d& one, const cv::Vec3d& ray,
                                   const cv::Point3d& other, const cv::Vec3d& other_ray) {
  const cv::Vec3d a = cv::normalize(ray);
  const cv::Vec3d b = cv::normalize(other_ray);
  const double cosine = a.dot(b);
  if (cosine > kParallax) return std::nullopt;
  const cv::Vec3d gap(other.x - one.x, other.y - one.y, other.z - one.z);
  const double share = 1 - cosine * cosine;
  const double s = (gap.dot(a) - gap.dot(b) * cosine) / share;
  const double t = (gap.dot(a) * cosine - gap.dot(b)) / share;
  if (s <= 0 || t <= 0) return std::nullopt;
  const cv::Vec3d middle = (s * a + gap + t * b) * 0.5;
  return one + cv::Point3d(middle[0], middle[1], middle[2]);
}

}  // namespace

void Slam::add_keyframe(SlamStep& step, Features features, const std::vector<Match>& matches,
                        const PlanarPose& odometry) {
  const std::size_t count = features.size();
  map_.keyframes.push_back(
      {step.pose, std::move(features), std::vector<int>(count, kNone), odometry});
  const int newest = map_.newest();
  for (const auto& match : matches) {
    map_.observe(match.point, newest, match.feature);
    ++map_.point(match.point).found;
  }
  triangulate(newest);
  put_on_ground(newest);
  adjust_window(newest, kNone);
  cull(newest);
  step.keyframe = true;
  step.closed = close_loop(newest);
  step.pose = map_.keyframe(newest).pose;
}

/// Features without a point are looked for among those of earlier keyframes without one.
void Slam::triangulate(int keyframe) {
  int partners = 0;
  for (int older = keyframe - 1; older >= 0 && partners < kPartners; --older) {
    if (distance(map_.keyframe(older).pose, map_.keyframe(keyframe).pose) < kBaseline) continue;
    ++partners;
    const auto& ours = map_.keyframe(keyframe);
    const auto& theirs = map_.keyframe(older);
    for (std::size_t i = 0; i < ours.features.size(); ++i) {
      if (ours.points[i] != kNone) continue;
      int best = kNone;
      int bits = kBits + 1;
      int second = 256;
      for (std::size_t j = 0; j < theirs.features.size(); ++j) {
        if (theirs.points[j] != kNone) continue;
        const int apart = bits_apart(ours.features[i].descriptor, theirs.features[j].descriptor);
        if (apart < bits) {
          second = std::exchange(bits, apart);
          best = static_cast<int>(j);
        } else if (apart < second) {
          second = apart;
        }
      }
      if (best == kNone || bits > kRatio * second) continue;
      make_point(older, best, keyframe, static_cast<int>(i));
    }
  }
}

/// The point that two features show, if they show one.
void Slam::make_point(int older, int older_feature, int newer, int newer_feature) {
  const auto& one = map_.keyframe(older);
  const auto& other = map_.keyframe(newer);
  const Feature first = one.features[static_cast<std::size_t>(older_feature)];
  const Feature second = other.features[static_cast<std::size_t>(newer_feature)];
  const auto place = meeting(camera_.centre(one.pose), camera_.ray(one.pose, first.pixel),
                             camera_.centre(other.pose), camera_.ray(other.pose, second.pixel));
  if (!place || place->z < kLow || place->z > kHigh) return;
  if (cv::norm(*place - camera_.centre(other.pose)) > options_.far) return;
  const auto fits = [&](const cv::Point3d& at) {
    return misfit(camera_, one.pose, {at, first.pixel, first.sigma}) < kFits &&
           misfit(camera_, other.pose, {at, second.pixel, second.sigma}) < kFits;
  };
  if (!fits(*place)) return;
  const int number = static_cast<int>(map_.points.size());
  map_.points.push_back({*place, second.descriptor, {}, false, false, newer});
  map_.observe(number, older, older_feature);
  map_.observe(number, newer, newer_feature);
}

/// Near features that still show no point are taken as marks on the ground, until they are not
/// seen where such marks should be.
void Slam::put_on_ground(int keyframe) {
  for (std::size_t i = 0; i < map_.keyframe(keyframe).features.size(); ++i) {
    const auto& ours = map_.keyframe(keyframe);
    if (ours.points[i] != kNone) continue;
    const auto& feature = ours.features[i];
    const auto place = camera_.on_ground(ours.pose, feature.pixel, options_.ground_far);
    if (!place) continue;
    const int number = static_cast<int>(map_.points.size());
    map_.points.push_back({*place, feature.descriptor, {}, true, false, keyframe});
    map_.observe(number, keyframe, static_cast<int>(i));
  }
}

void Slam::adjust_window(int keyframe, int also) {
  std::vector<int> chosen;
  for (int k = std::max(1, keyframe - options_.window + 1); k <= keyframe; ++k) {
    chosen.push_back(k);
  }
  for (int k = also - 2; also != kNone && k <= also + 2; ++k) {
    if (k > 0 && k < keyframe - options_.window) chosen.push_back(k);
  }
  if (!chosen.empty()) adjust(camera_, map_, chosen);
}

/// Young points that were hardly seen again are noise.
void Slam::cull(int keyframe) {
  for (int p = 0; p < static_cast<int>(map_.points.size()); ++p) {
    const auto& point = map_.point(p);
    if (!point.gone && point.born == keyframe - kYoung && point.seen.size() < 3) map_.remove(p);
  }
}

}  // namespace ligament::nodes::driving::slam
