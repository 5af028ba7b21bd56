// SPDX-License-Identifier: Apache-2.0
#include "slam/bundle.hpp"

#include <ceres/ceres.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "slam/pose_fit.hpp"

namespace ligament::nodes::driving::slam {

namespace {

constexpr double kBend = 2.0;  // sigmas from which a residual counts less (Huber)
constexpr int kSteps = 8;
// How sure wheels are of the way between two keyframes, m and rad; they also slip by a share.
constexpr double kWheels = 0.002;
constexpr double kWheelsTurn = 0.01;
constexpr double kSlip = 0.02;

/// How far a point is seen from where it should be, in sigmas.
struct Reprojection {
  const RobotCamera* camera;
  cv::Point2d pixel;
  double sigma;

  template <typename T>
  bool operator()(const T* pose, const T* point, T* residual) const {
    T at[2];
    T depth;
    camera->project(pose, point, at, depth);
    if (depth < T(0.02)) return false;
    residual[0] = (at[0] - pixel.x) / sigma;
    residual[1] = (at[1] - pixel.y) / sigma;
    return true;
  }
};

/// How far a keyframe is from where a link has it.
struct Step {
  PlanarPose step;
  double weight;
  double turn_weight;

  template <typename T>
  bool operator()(const T* from, const T* to, T* residual) const {
    using std::atan2;
    using std::cos;
    using std::sin;
    const T c = cos(from[2]);
    const T s = sin(from[2]);
    const T dx = to[0] - from[0];
    const T dy = to[1] - from[1];
    const T turn = to[2] - from[2] - step.heading;
    residual[0] = weight * (c * dx + s * dy - step.x);
    residual[1] = weight * (c * dy - s * dx - step.y);
    residual[2] = turn_weight * atan2(sin(turn), cos(turn));
    return true;
  }
};

using Numbers = std::array<double, 3>;

Numbers numbers_of(const PlanarPose& pose) { return {pose.x, pose.y, pose.heading}; }

PlanarPose pose_of(const Numbers& numbers) { return {numbers[0], numbers[1], wrapped(numbers[2])}; }

ceres::Solver::Options options(ceres::LinearSolverType solver, int steps) {
  ceres::Solver::Options chosen;
  chosen.linear_solver_type = solver;
  chosen.max_num_iterations = steps;
  chosen.num_threads = 1;
  chosen.logging_type = ceres::SILENT;
  return chosen;
}

/// The problem of one adjustment.
class Adjustment {
 public:
  Adjustment(const RobotCamera& camera, Map& map, const std::vector<int>& keyframes)
      : camera_(camera), map_(map), free_(keyframes.begin(), keyframes.end()) {
    for (const int k : free_) {
      for (const int p : map.keyframe(k).points) {
        if (p != kNone && map.point(p).seen.size() >= 2) points_.try_emplace(p);
      }
    }
    for (auto& [p, numbers] : points_) {
      const auto& place = map.point(p).place;
      numbers = {place.x, place.y, place.z};
      for (const auto& [k, feature] : map.point(p).seen) add(p, numbers, k, feature);
    }
    for (const int k : free_) add_wheels(k - 1, k);
    for (auto& [k, numbers] : poses_) {
      if (!free_.contains(k)) problem_.SetParameterBlockConstant(numbers.data());
    }
  }

  void solve() {
    if (problem_.NumResidualBlocks() == 0) return;
    ceres::Solver::Summary summary;
    ceres::Solve(options(ceres::DENSE_SCHUR, kSteps), &problem_, &summary);
    if (!summary.IsSolutionUsable()) return;
    for (const auto& [k, numbers] : poses_) map_.keyframe(k).pose = pose_of(numbers);
    for (const auto& [p, numbers] : points_) {
      map_.point(p).place = {numbers[0], numbers[1], numbers[2]};
    }
  }

  /// Forgets what does not fit.
  void tidy() {
    for (const auto& entry : points_) {
      auto& point = map_.point(entry.first);
      std::erase_if(point.seen, [&](const std::pair<int, int>& sighting) {
        const auto& [k, feature] = sighting;
        auto& keyframe = map_.keyframe(k);
        const auto& one = keyframe.features[static_cast<std::size_t>(feature)];
        const bool fits =
            misfit(camera_, keyframe.pose, {point.place, one.pixel, one.sigma}) < 2 * kFits;
        if (!fits) keyframe.points[static_cast<std::size_t>(feature)] = kNone;
        return !fits;
      });
      if (point.seen.size() < 2) map_.remove(entry.first);
    }
  }

 private:
  void add(int p, Numbers& point, int k, int feature) {
    const auto& keyframe = map_.keyframe(k);
    const auto& one = keyframe.features[static_cast<std::size_t>(feature)];
    const auto [pose, fresh] = poses_.try_emplace(k, numbers_of(keyframe.pose));
    auto* cost = new ceres::AutoDiffCostFunction<Reprojection, 2, 3, 3>(
        new Reprojection{&camera_, one.pixel, one.sigma});
    problem_.AddResidualBlock(cost, new ceres::HuberLoss(kBend), pose->second.data(), point.data());
    if (map_.point(p).on_ground) {
      problem_.SetManifold(point.data(), new ceres::SubsetManifold(3, {2}));
    }
  }

  /// What wheels tell of the way between two keyframes.
  void add_wheels(int from, int to) {
    if (from < 0) return;
    const auto& one = map_.keyframe(from);
    const auto& other = map_.keyframe(to);
    const PlanarPose step = between(one.odometry, other.odometry);
    auto& first = poses_.try_emplace(from, numbers_of(one.pose)).first->second;
    auto& second = poses_.try_emplace(to, numbers_of(other.pose)).first->second;
    const double metres = kWheels + kSlip * std::hypot(step.x, step.y);
    const double turn = kWheelsTurn + kSlip * std::abs(step.heading);
    auto* cost =
        new ceres::AutoDiffCostFunction<Step, 3, 3, 3>(new Step{step, 1 / metres, 1 / turn});
    problem_.AddResidualBlock(cost, new ceres::HuberLoss(kBend), first.data(), second.data());
  }

  const RobotCamera& camera_;
  Map& map_;
  std::set<int> free_;
  std::map<int, Numbers> points_;
  std::map<int, Numbers> poses_;
  ceres::Problem problem_;
};

}  // namespace

void adjust(const RobotCamera& camera, Map& map, const std::vector<int>& keyframes) {
  Adjustment adjustment(camera, map, keyframes);
  adjustment.solve();
  adjustment.tidy();
}

void relax(Map& map, const std::vector<Link>& links) {
  std::vector<Numbers> poses;
  for (const auto& keyframe : map.keyframes) poses.push_back(numbers_of(keyframe.pose));
  ceres::Problem problem;
  for (const auto& link : links) {
    auto* cost =
        // Metres and radians count alike: to turn by 0.01 moves what is 1 m ahead by 0.01 m.
        new ceres::AutoDiffCostFunction<Step, 3, 3, 3>(
            new Step{link.step, link.weight, link.weight});
    problem.AddResidualBlock(cost, nullptr, poses[static_cast<std::size_t>(link.from)].data(),
                             poses[static_cast<std::size_t>(link.to)].data());
  }
  if (links.empty() || !problem.HasParameterBlock(poses[0].data())) return;
  problem.SetParameterBlockConstant(poses[0].data());
  ceres::Solver::Summary summary;
  ceres::Solve(options(ceres::SPARSE_NORMAL_CHOLESKY, 50), &problem, &summary);
  if (!summary.IsSolutionUsable()) return;
  for (auto& point : map.points) {
    if (point.gone) continue;
    const auto born = static_cast<std::size_t>(point.born);
    const PlanarPose before = map.keyframes[born].pose;
    const PlanarPose local = between(before, {point.place.x, point.place.y, 0});
    const PlanarPose moved = composed(pose_of(poses[born]), local);
    point.place = {moved.x, moved.y, point.place.z};
  }
  for (std::size_t i = 0; i < poses.size(); ++i) map.keyframes[i].pose = pose_of(poses[i]);
}

}  // namespace ligament::nodes::driving::slam
