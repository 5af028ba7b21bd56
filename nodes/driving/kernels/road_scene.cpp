// SPDX-License-Identifier: Apache-2.0
#include "kernels/road_scene.hpp"

#include <cmath>
#include <numbers>
#include <opencv2/imgproc.hpp>

namespace ligament::nodes::driving {
namespace {

constexpr double kPi = std::numbers::pi;

const cv::Vec3b kGroundColour{60, 60, 62};
const cv::Vec3b kSkyColour{140, 160, 190};
const cv::Vec3b kYellowPaint{230, 200, 30};
const cv::Vec3b kWhitePaint{235, 235, 235};

struct Optics {
  double sine;
  double cosine;
  double focal;
  double middle_column;
  double middle_row;
};

Optics optics_of(const MountedCamera& camera) {
  const double pitch = camera.pitch_down * kPi / 180;
  return {std::sin(pitch), std::cos(pitch),
          camera.width / 2.0 / std::tan(camera.horizontal_fov * kPi / 360),
          (camera.width - 1) / 2.0, (camera.height - 1) / 2.0};
}

cv::Vec3b paint_at(const Track& track, double x, double y) {
  const double offset = lateral_offset(track, x, y);
  const double from_stripe = std::abs(std::abs(offset) - track.lane_width / 2);
  if (from_stripe > track.stripe_width / 2) return kGroundColour;
  if (offset > 0) return track.yellow ? kYellowPaint : kGroundColour;
  return track.white ? kWhitePaint : kGroundColour;
}

void draw_ground_row(const Track& track, const Optics& optics, const MountedCamera& camera,
                     const Pose& pose, double below, cv::Vec3b* pixel) {
  // `below` is the row under the middle, over f; d solves it for the distance ahead.
  const double ahead = camera.above_ground * (optics.cosine - below * optics.sine) /
                       (optics.sine + below * optics.cosine);
  const double depth = ahead * optics.cosine + camera.above_ground * optics.sine;
  const double from_centre = ahead + camera.ahead;
  for (int column = 0; column < camera.width; ++column) {
    const double left = (optics.middle_column - column) * depth / optics.focal;
    pixel[column] = paint_at(
        track, pose.x + from_centre * std::cos(pose.heading) - left * std::sin(pose.heading),
        pose.y + from_centre * std::sin(pose.heading) + left * std::cos(pose.heading));
  }
}

void draw_light(const Track& track, const Optics& optics, const MountedCamera& camera,
                const Pose& pose, Lamp lamp, cv::Mat& picture) {
  const double dx = track.light_at - pose.x;
  const double dy = -track.light_aside - pose.y;
  const double ahead = dx * std::cos(pose.heading) + dy * std::sin(pose.heading) - camera.ahead;
  const double left = dy * std::cos(pose.heading) - dx * std::sin(pose.heading);
  const double down = camera.above_ground - track.light_height;
  const double depth = ahead * optics.cosine + down * optics.sine;
  if (depth < 0.1 || lamp == Lamp::off) return;
  const double row =
      optics.middle_row + optics.focal * (down * optics.cosine - ahead * optics.sine) / depth;
  const double column = optics.middle_column - optics.focal * left / depth;
  const cv::Scalar colour = lamp == Lamp::red ? cv::Scalar(240, 20, 20) : cv::Scalar(20, 230, 60);
  cv::circle(picture, {static_cast<int>(std::lround(column)), static_cast<int>(std::lround(row))},
             static_cast<int>(std::lround(optics.focal * track.light_radius / depth)), colour,
             cv::FILLED);
}

}  // namespace

double lateral_offset(const Track& track, double x, double y) {
  const double nearest = std::clamp(x, 0.0, track.straight);
  return track.radius - std::hypot(x - nearest, y - track.radius);
}

double track_length(const Track& track) { return 2 * (track.straight + kPi * track.radius); }

double distance_along(const Track& track, double x, double y) {
  const double half = track_length(track) / 2;
  if (x > track.straight) {
    return track.straight + track.radius * std::atan2(x - track.straight, track.radius - y);
  }
  if (x < 0) return half + track.straight + track.radius * std::atan2(-x, y - track.radius);
  return y < track.radius ? x : half + track.straight - x;
}

Pose pose_at(const Track& track, double distance) {
  const double half = track_length(track) / 2;
  double along = std::fmod(distance, 2 * half);
  if (along < 0) along += 2 * half;
  const bool second = along >= half;
  if (second) along -= half;
  Pose pose;
  if (along <= track.straight) {
    pose = {along, 0, 0};
  } else {
    const double angle = (along - track.straight) / track.radius;
    pose = {track.straight + track.radius * std::sin(angle),
            track.radius - track.radius * std::cos(angle), angle};
  }
  if (second) {
    pose = {track.straight - pose.x, 2 * track.radius - pose.y, pose.heading + kPi};
  }
  return pose;
}

Pose moved(const Pose& pose, double speed, double turn, double seconds) {
  const double middle = pose.heading + turn * seconds / 2;
  return {pose.x + speed * seconds * std::cos(middle), pose.y + speed * seconds * std::sin(middle),
          pose.heading + turn * seconds};
}

void draw_road(const Track& track, const MountedCamera& camera, const Pose& pose, Lamp lamp,
               cv::Mat& picture) {
  const Optics optics = optics_of(camera);
  for (int row = 0; row < camera.height; ++row) {
    auto* pixel = picture.ptr<cv::Vec3b>(row);
    const double below = (row - optics.middle_row) / optics.focal;
    // Above the horizon, and what is so far that a pixel spans metres, is sky.
    if (optics.sine + below * optics.cosine < 0.02) {
      std::fill(pixel, pixel + camera.width, kSkyColour);
    } else {
      draw_ground_row(track, optics, camera, pose, below, pixel);
    }
  }
  draw_light(track, optics, camera, pose, lamp, picture);
}

}  // namespace ligament::nodes::driving
