// SPDX-License-Identifier: Apache-2.0
// A place that is seen again: finding it, and spreading the drift since then.
#include <algorithm>
#include <utility>

#include "slam/slam.hpp"

namespace ligament::nodes::driving::slam {

namespace {

constexpr int kLongAgo = 30;  // keyframes
constexpr std::size_t kMostPlaces = 12;
constexpr int kKnown = 20;        // points from then in this keyframe: nothing is to be closed
constexpr double kWithin = 1.0;   // m that the drift may be
constexpr double kHeading = 0.5;  // rad
constexpr int kBits = 50;
constexpr double kRatio = 0.8;
constexpr int kDraws = 150;
constexpr int kDrawn = 3;            // matches of a draw; two would do
constexpr int kAgree = 25;           // matches that must agree with a place
constexpr double kSure = 20.0;       // common points of neighbours
constexpr double kUnsure = 0.05;     // weight of neighbours without any
constexpr double kLoopWeight = 5.0;  // of a link over the gap, to those between neighbours

}  // namespace

/// Looks for a picture in the whole map: as a loop that is closed with any keyframe. Then the
/// wheels' frame is put where the old keyframes are in it, as if the robot had driven on.
bool Slam::locate(const Features& features, const PlanarPose& odometry) {
  std::vector<Meeting> places;
  for (int old = 0; old <= map_.newest(); ++old) places.push_back(meeting_of(features, old));
  std::stable_sort(places.begin(), places.end(), [](const Meeting& one, const Meeting& other) {
    return one.matches.size() > other.matches.size();
  });
  if (places.size() > kMostPlaces) places.resize(kMostPlaces);
  std::optional<PlanarPose> pose;
  for (auto place = places.begin(); place != places.end() && !pose; ++place) {
    pose = agreed_pose(*place);
  }
  if (!pose) return false;
  for (auto& one : map_.keyframes) {
    one.odometry = composed(odometry, between(*pose, one.pose));
  }
  last_ = *pose;
  odometry_ = odometry;
  is_located_ = true;
  return true;
}

bool Slam::close_loop(int keyframe) {
  Meeting best;
  for (const int old : places_seen_before(keyframe)) {
    Meeting one = meeting_of(map_.keyframe(keyframe).features, old);
    if (one.matches.size() > best.matches.size()) best = std::move(one);
  }
  const auto pose = agreed_pose(best);
  if (!pose) return false;
  correct(keyframe, best, *pose);
  return true;
}

/// Keyframes from long ago that may have been here; none if their points are followed already.
std::vector<int> Slam::places_seen_before(int keyframe) const {
  const auto& ours = map_.keyframe(keyframe);
  int known = 0;
  for (const int p : ours.points) {
    known += p != kNone && map_.point(p).born < keyframe - kLongAgo ? 1 : 0;
  }
  std::vector<int> places;
  if (known >= kKnown) return places;
  for (int k = 0; k < keyframe - kLongAgo; ++k) {
    const auto& pose = map_.keyframe(k).pose;
    if (std::abs(wrapped(pose.heading - ours.pose.heading)) < kHeading &&
        distance(pose, ours.pose) < kWithin) {
      places.push_back(k);
    }
  }
  // Neighbours show the same: of many, some are enough.
  const std::size_t each = places.size() / kMostPlaces + 1;
  std::vector<int> some;
  for (std::size_t i = 0; i < places.size(); i += each) some.push_back(places[i]);
  return some;
}

/// The features of a keyframe that look like points that an old one sees.
Slam::Meeting Slam::meeting_of(const Features& ours, int old) const {
  const auto& theirs = map_.keyframe(old);
  Meeting found;
  found.old = old;
  for (std::size_t j = 0; j < theirs.features.size(); ++j) {
    const int p = theirs.points[j];
    if (p == kNone) continue;
    int best = kNone;
    int bits = kBits + 1;
    int second = 256;
    for (std::size_t i = 0; i < ours.size(); ++i) {
      const int apart = bits_apart(theirs.features[j].descriptor, ours[i].descriptor);
      if (apart < bits) {
        second = std::exchange(bits, apart);
        best = static_cast<int>(i);
      } else if (apart < second) {
        second = apart;
      }
    }
    if (best == kNone || bits > kRatio * second) continue;
    const auto& feature = ours[static_cast<std::size_t>(best)];
    found.matches.push_back({best, p});
    found.sightings.push_back({map_.point(p).place, feature.pixel, feature.sigma});
  }
  return found;
}

/// The pose from which most of the old points are seen as they are: that of a few of them which
/// most others agree with (RANSAC), then of all that agree.
std::optional<PlanarPose> Slam::agreed_pose(Meeting& meeting) {
  auto& sightings = meeting.sightings;
  if (static_cast<int>(sightings.size()) < kAgree) return std::nullopt;
  const auto fits = [&](const PlanarPose& pose, const Sighting& one) {
    return misfit(camera_, pose, one) < 4 * kFits;
  };
  PlanarPose found;
  std::ptrdiff_t most = 0;
  std::uniform_int_distribution<std::size_t> any(0, sightings.size() - 1);
  for (int draw = 0; draw < kDraws; ++draw) {
    std::vector<Sighting> few(kDrawn);
    for (auto& one : few) one = sightings[any(random_)];
    PlanarPose pose = map_.keyframe(meeting.old).pose;
    if (fit_pose(camera_, few, pose) < kDrawn) continue;
    const auto agree = std::count_if(sightings.begin(), sightings.end(),
                                     [&](const Sighting& one) { return fits(pose, one); });
    if (agree > most) {
      most = agree;
      found = pose;
    }
  }
  for (auto& one : sightings) one.fits = fits(found, one);
  if (most < kAgree || fit_pose(camera_, sightings, found) < kAgree) return std::nullopt;
  return found;
}

/// How sure the way between two keyframes is: by the points that both see. Where only the wheels
/// tell it, the drift is.
double Slam::trust_in(int one, int other) const {
  const auto& points = map_.keyframe(one).points;
  int common = 0;
  for (const int p : map_.keyframe(other).points) {
    common += p != kNone && std::find(points.begin(), points.end(), p) != points.end() ? 1 : 0;
  }
  return std::clamp(common / kSure, kUnsure, 1.0);
}

/// Spreads the difference over the keyframes since then, and joins what both see.
void Slam::correct(int keyframe, const Meeting& meeting, const PlanarPose& pose) {
  std::vector<Link> links;
  for (int k = 0; k < keyframe; ++k) {
    const PlanarPose step = between(map_.keyframe(k).pose, map_.keyframe(k + 1).pose);
    links.push_back({k, k + 1, step, trust_in(k, k + 1)});
  }
  const PlanarPose step = between(map_.keyframe(meeting.old).pose, pose);
  loops_.push_back({meeting.old, keyframe, step, kLoopWeight});
  links.insert(links.end(), loops_.begin(), loops_.end());
  relax(map_, links);
  merge(keyframe, meeting);
  adjust_window(keyframe, meeting.old);
}

/// What the keyframe shows of the old points is shown by its features from now on.
void Slam::merge(int keyframe, const Meeting& meeting) {
  for (std::size_t i = 0; i < meeting.matches.size(); ++i) {
    const auto [feature, old] = meeting.matches[i];
    if (!meeting.sightings[i].fits || map_.point(old).gone) continue;
    const int fresh = map_.keyframe(keyframe).points[static_cast<std::size_t>(feature)];
    if (fresh == old) continue;
    if (fresh != kNone) map_.remove(fresh);
    map_.observe(old, keyframe, feature);
  }
}

}  // namespace ligament::nodes::driving::slam
