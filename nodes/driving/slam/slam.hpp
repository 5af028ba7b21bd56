// SPDX-License-Identifier: Apache-2.0
/// \file Visual SLAM of a robot on flat ground, with one camera of known height.
///
///   Slam slam(camera, {});
///   const SlamStep step = slam.step(grey, odometry);
///   use(step.pose);                                    // in the frame of the first picture
///
/// Each picture's ORB features are matched with the map's points around where those should be seen,
/// and the pose is where they agree. A picture that shows much new becomes a keyframe: features
/// without a point are triangulated with earlier keyframes, near ones are put on the ground, and
/// the last keyframes are adjusted together with their points and with what the wheels tell of the
/// way between them. That and the camera's height make the scale. Where a place is seen again, the
/// drift since then is spread over the keyframes in between.
///
/// The structure is that of ORB-SLAM (Mur-Artal, Montiel, Tardos, 2015). What is simpler here:
/// three degrees of freedom, the ground as scale, one thread, and places are found by where they
/// are and not by a vocabulary. To plug in another SLAM, write a node with this one's ports.
#pragma once

#include <optional>
#include <random>
#include <vector>

#include "slam/bundle.hpp"
#include "slam/map.hpp"
#include "slam/pose_fit.hpp"

namespace ligament::nodes::driving::slam {

struct SlamOptions {
  int features = 600;               ///< of a picture
  double keyframe_distance = 0.06;  ///< m; or
  double keyframe_angle = 0.12;     ///< rad, after which there may be a new keyframe
  int window = 7;                   ///< keyframes that are adjusted together
  double ground_far = 0.7;  ///< up to here features without a point are put on the ground, m
  double far = 6.0;         ///< points farther away are not made, m
};

struct SlamStep {
  PlanarPose pose;
  bool located = true;    ///< else the robot's place in the given map is not known yet
  bool tracked = false;   ///< else `pose` is where the wheels have it
  bool keyframe = false;  ///< the map has grown
  bool closed = false;    ///< a place was seen again, and the map was corrected
  int matched = 0;        ///< points that agree with the pose
};

class Slam {
 public:
  Slam(const RobotCamera& camera, const SlamOptions& options);
  /// Goes on with a map that was built before. Its first steps look for the robot in it.
  Slam(const RobotCamera& camera, const SlamOptions& options, Map map);

  /// `odometry`: the pose that wheels tell, in any frame that stays the same.
  SlamStep step(const cv::Mat& grey, const PlanarPose& odometry);

  [[nodiscard]] const Map& map() const { return map_; }
  /// How often a place was seen again, and the map was corrected.
  [[nodiscard]] std::size_t loops_closed() const { return loops_.size(); }

 private:
  struct Match {
    int feature;
    int point;
  };
  /// A keyframe and an old one, and what of the old one's points it may see.
  struct Meeting {
    int old = kNone;
    std::vector<Match> matches;
    std::vector<Sighting> sightings;  ///< one for each match
  };

  [[nodiscard]] bool locate(const Features& features, const PlanarPose& odometry);
  [[nodiscard]] std::vector<Match> search(const Features& features, const PlanarPose& pose,
                                          double radius);
  int fit(const Features& features, std::vector<Match>& matches, PlanarPose& pose) const;
  [[nodiscard]] bool wants_keyframe(const SlamStep& step, int features) const;
  void add_keyframe(SlamStep& step, Features features, const std::vector<Match>& matches,
                    const PlanarPose& odometry);
  void triangulate(int keyframe);
  void put_on_ground(int keyframe);
  void make_point(int older, int older_feature, int newer, int newer_feature);
  void cull(int keyframe);
  bool close_loop(int keyframe);
  [[nodiscard]] std::vector<int> places_seen_before(int keyframe) const;
  [[nodiscard]] Meeting meeting_of(const Features& ours, int old) const;
  [[nodiscard]] std::optional<PlanarPose> agreed_pose(Meeting& meeting);
  [[nodiscard]] double trust_in(int one, int other) const;
  void correct(int keyframe, const Meeting& meeting, const PlanarPose& pose);
  void merge(int keyframe, const Meeting& meeting);
  void adjust_window(int keyframe, int also);

  RobotCamera camera_;
  SlamOptions options_;
  FeatureFinder finder_;
  Map map_;
  std::vector<Link> loops_;
  bool is_located_ = true;
  PlanarPose last_;
  PlanarPose odometry_;
  std::mt19937 random_{1};
};

}  // namespace ligament::nodes::driving::slam
