// SPDX-License-Identifier: Apache-2.0
/// \file Poses on the ground, and a camera on a robot that stays upright.
///
/// Axes as in ROS (REP 103): x ahead, y left, z up. The robot has a place and a heading; its camera
/// is at height h, `ahead` of the robot's centre, pitched down by p, without roll. A point (X, Y,
/// Z) relative to the camera's centre, along the robot's axes, is seen at
///
///   depth  = X cos p - Z sin p
///   column = (width - 1) / 2 - f Y / depth
///   row    = (height - 1) / 2 - f (X sin p + Z cos p) / depth
///
/// with the focal length f = (width / 2) / tan(fov / 2). The height makes the scale: a point of the
/// ground is where its ray meets z = 0, so distances need no odometry.
#pragma once

#include <cmath>
#include <numbers>
#include <opencv2/core.hpp>
#include <optional>

namespace ligament::nodes::driving::slam {

struct PlanarPose {
  double x = 0;
  double y = 0;
  double heading = 0;
};

[[nodiscard]] inline double wrapped(double angle) {
  return std::remainder(angle, 2 * std::numbers::pi);
}

/// `step` as seen from `from`, in the world.
[[nodiscard]] inline PlanarPose composed(const PlanarPose& from, const PlanarPose& step) {
  const double c = std::cos(from.heading);
  const double s = std::sin(from.heading);
  return {from.x + c * step.x - s * step.y, from.y + s * step.x + c * step.y,
          wrapped(from.heading + step.heading)};
}

/// The step that leads from one pose to another.
[[nodiscard]] inline PlanarPose between(const PlanarPose& from, const PlanarPose& to) {
  const double c = std::cos(from.heading);
  const double s = std::sin(from.heading);
  const double dx = to.x - from.x;
  const double dy = to.y - from.y;
  return {c * dx + s * dy, c * dy - s * dx, wrapped(to.heading - from.heading)};
}

[[nodiscard]] inline double distance(const PlanarPose& one, const PlanarPose& other) {
  return std::hypot(one.x - other.x, one.y - other.y);
}

/// A pinhole camera on the robot, with its numbers worked out.
class RobotCamera {
 public:
  RobotCamera(cv::Size size, double height, double ahead, double pitch_degrees, double fov_degrees)
      : size_(size),
        height_(height),
        ahead_(ahead),
        cos_(std::cos(pitch_degrees * std::numbers::pi / 180)),
        sin_(std::sin(pitch_degrees * std::numbers::pi / 180)),
        focal_(size.width / 2.0 / std::tan(fov_degrees * std::numbers::pi / 360)),
        column_((size.width - 1) / 2.0),
        row_((size.height - 1) / 2.0) {}

  [[nodiscard]] cv::Size size() const { return size_; }
  [[nodiscard]] double focal() const { return focal_; }

  /// Column and row of a point of the world, and its depth, for any number type: Ceres
  /// differentiates it. `pose` is x, y, heading.
  template <typename T>
  void project(const T* pose, const T* point, T* pixel, T& depth) const {
    using std::cos;
    using std::sin;
    const T c = cos(pose[2]);
    const T s = sin(pose[2]);
    const T dx = point[0] - pose[0];
    const T dy = point[1] - pose[1];
    const T along = c * dx + s * dy - ahead_;
    const T left = c * dy - s * dx;
    const T up = point[2] - height_;
    depth = along * cos_ - up * sin_;
    pixel[0] = column_ - focal_ * left / depth;
    pixel[1] = row_ - focal_ * (along * sin_ + up * cos_) / depth;
  }

  /// The pixel of a point; none where it is behind the camera or outside the picture.
  [[nodiscard]] std::optional<cv::Point2d> seen(const PlanarPose& pose,
                                                const cv::Point3d& point) const {
    const double at[3] = {pose.x, pose.y, pose.heading};
    const double where[3] = {point.x, point.y, point.z};
    double pixel[2];
    double depth = 0;
    project(at, where, pixel, depth);
    if (depth < 0.02 || pixel[0] < 0 || pixel[1] < 0 || pixel[0] >= size_.width ||
        pixel[1] >= size_.height) {
      return std::nullopt;
    }
    return cv::Point2d(pixel[0], pixel[1]);
  }

  [[nodiscard]] cv::Point3d centre(const PlanarPose& pose) const {
    return {pose.x + ahead_ * std::cos(pose.heading), pose.y + ahead_ * std::sin(pose.heading),
            height_};
  }

  /// The direction of a pixel's ray in the world; its depth along the camera's axis is 1.
  [[nodiscard]] cv::Vec3d ray(const PlanarPose& pose, const cv::Point2d& pixel) const {
    const double right = (pixel.x - column_) / focal_;
    const double down = (pixel.y - row_) / focal_;
    const double along = cos_ - down * sin_;
    const double c = std::cos(pose.heading);
    const double s = std::sin(pose.heading);
    return {c * along + s * right, s * along - c * right, -sin_ - down * cos_};
  }

  /// Where a pixel's ray meets the ground; none where it is farther than `far`.
  [[nodiscard]] std::optional<cv::Point3d> on_ground(const PlanarPose& pose,
                                                     const cv::Point2d& pixel, double far) const {
    const cv::Vec3d direction = ray(pose, pixel);
    if (direction[2] >= -1e-6) return std::nullopt;
    const double length = -height_ / direction[2];
    const cv::Point3d from = centre(pose);
    const cv::Point3d found(from.x + length * direction[0], from.y + length * direction[1], 0);
    if (std::hypot(found.x - from.x, found.y - from.y) > far) return std::nullopt;
    return found;
  }

 private:
  cv::Size size_;
  double height_;
  double ahead_;
  double cos_;
  double sin_;
  double focal_;
  double column_;
  double row_;
};

}  // namespace ligament::nodes::driving::slam
