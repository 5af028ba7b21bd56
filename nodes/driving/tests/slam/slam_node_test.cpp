// SPDX-License-Identifier: Apache-2.0
// The SLAM node as it runs: pictures wait for odometry, bad messages are told, the map is
// published.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <ligament/geometry_msgs/msg/pose_stamped.hpp>
#include <ligament/nav_msgs/msg/odometry.hpp>
#include <ligament/sensor_msgs/msg/point_cloud2.hpp>
#include <limits>

#include "scene.hpp"
#include "tests/graph_run.hpp"

namespace ligament::nodes::driving::slam {
namespace {

using geometry_msgs::msg::PoseStamped;
using image::GraphRun;
using nav_msgs::msg::Odometry;
using sensor_msgs::msg::Image;
using sensor_msgs::msg::PointCloud2;

const RobotCamera kCamera({320, 240}, 0.14, 0.05, 25, 80);
constexpr std::uint32_t kPeriodNs = 33'000'000;

template <typename MessageT>
void stamp(MessageT& message, int frame) {
  message.header.stamp.sec = 1;
  message.header.stamp.nanosec = static_cast<std::uint32_t>(frame) * kPeriodNs;
}

/// Sends what a robot would, and hears what SLAM makes of it.
class Robot : public Node {
 public:
  explicit Robot(const NodeOptions& options) : Node("robot", options) {
    images_ = create_publisher<Image>("image", QoS(5));
    wheels_ = create_publisher<Odometry>("odom", QoS(20));
    pose_ = create_subscription<PoseStamped>("pose", QoS(10),
                                             [this](const PoseStamped& p) { poses.push_back(p); });
    points_ = create_subscription<PointCloud2>(
        "points", QoS(10), [this](const PointCloud2& cloud) { clouds.push_back(cloud); });
  }

  void see(int frame) {
    const cv::Mat grey = draw_room(kCamera, at(frame));
    Image message;
    stamp(message, frame);
    message.height = static_cast<std::uint32_t>(grey.rows);
    message.width = static_cast<std::uint32_t>(grey.cols);
    message.encoding = "rgb8";
    message.step = message.width * 3;
    message.data.resize(grey.total() * 3);
    for (std::size_t i = 0; i < grey.total(); ++i) {
      std::memset(message.data.data() + 3 * i, grey.data[i], 3);
    }
    EXPECT_TRUE(images_->publish(message));
  }
  void roll(int frame, double wrong = 0) {
    const PlanarPose pose = at(frame);
    Odometry message;
    stamp(message, frame);
    message.pose.pose.position.x = pose.x + wrong;
    message.pose.pose.position.y = pose.y;
    message.pose.pose.orientation.z = std::sin(pose.heading / 2);
    message.pose.pose.orientation.w = std::cos(pose.heading / 2);
    EXPECT_TRUE(wheels_->publish(message));
  }
  /// Whether the node has found its topics, and this one the node's.
  [[nodiscard]] bool is_matched() const {
    return images_->get_subscription_count() != 0 && wheels_->get_subscription_count() != 0 &&
           pose_->get_publisher_count() != 0 && points_->get_publisher_count() != 0;
  }
  [[nodiscard]] static PlanarPose at(int frame) { return on_circle(0.02 * frame); }

  std::vector<PoseStamped> poses;
  std::vector<PointCloud2> clouds;

 private:
  Publisher<Image>::SharedPtr images_;
  Publisher<Odometry>::SharedPtr wheels_;
  Subscription<PoseStamped>::SharedPtr pose_;
  Subscription<PointCloud2>::SharedPtr points_;
};

using SlamParameters = GraphRun::Parameters;

struct SlamRun {
  GraphRun graph;
  std::shared_ptr<Robot> robot;

  explicit SlamRun(const SlamParameters& parameters = {}) {
    NodeOptions options;
    options.context(graph.context());
    robot = std::make_shared<Robot>(options);
    EXPECT_TRUE(graph.executor().add_node(robot));
    EXPECT_NE(graph.add("slam", parameters), nullptr) << graph.errors();
    while (!robot->is_matched() && graph.errors().empty())
      graph.turn(1);  // what is sent now is lost
  }
  /// Turns until there are so many poses: with none, a test ends by its watchdog.
  void until(std::size_t poses) {
    while (robot->poses.size() < poses && graph.errors().empty()) graph.turn(1);
  }
};

TEST(SlamNode, FollowsTheRobotAndSendsItsMap) {
  SlamRun run;
  for (int frame = 0; frame < 12; ++frame) {
    run.robot->roll(frame);
    run.robot->see(frame);
    run.until(static_cast<std::size_t>(frame) + 1);
  }
  ASSERT_EQ(run.graph.errors(), "");
  const auto& last = run.robot->poses.back();
  const PlanarPose real = between(Robot::at(0), Robot::at(11));
  EXPECT_EQ(last.header.frame_id, "map");
  EXPECT_EQ(last.header.stamp.nanosec, 11 * kPeriodNs);
  EXPECT_NEAR(last.pose.position.x, real.x, 0.02);
  EXPECT_NEAR(last.pose.position.y, real.y, 0.02);
  EXPECT_NEAR(2 * std::atan2(last.pose.orientation.z, last.pose.orientation.w), real.heading, 0.03);
  run.graph.turn(3);
  ASSERT_FALSE(run.robot->clouds.empty());
  const auto& cloud = run.robot->clouds.back();
  EXPECT_EQ(cloud.fields.size(), 3U);
  EXPECT_GT(cloud.width, 50U);
  EXPECT_EQ(cloud.data.size(), std::size_t{cloud.width} * cloud.point_step);
}

TEST(SlamNode, APictureWaitsForOdometryThatIsNotOlder) {
  SlamRun run;
  run.robot->see(0);
  run.graph.turn(10);
  EXPECT_TRUE(run.robot->poses.empty());
  run.robot->roll(0);
  run.until(1);
  // Between two messages of odometry it is where the times have it.
  run.robot->see(1);
  run.robot->roll(2);
  run.until(2);
  const PlanarPose real = between(Robot::at(0), Robot::at(1));
  ASSERT_EQ(run.robot->poses.size(), 2U);
  EXPECT_NEAR(run.robot->poses[1].pose.position.x, real.x, 0.01);
  // Repeated pictures are one.
  run.robot->see(1);
  run.robot->see(2);
  run.until(3);
  run.graph.turn(5);
  EXPECT_EQ(run.robot->poses.size(), 3U);
}

TEST(SlamNode, WritesItsMapAtTheEndAndGoesOnWithItTheNextTime) {
  const auto file =
      std::filesystem::temp_directory_path() / ("slam-node-" + std::to_string(::getpid()) + ".map");
  for (const bool is_second : {false, true}) {
    SlamRun run(is_second ? SlamParameters{{"map", file.string()}}
                          : SlamParameters{{"save_map", file.string()}});
    // The second time it begins elsewhere, and its wheels tell the first picture's frame.
    const int first = is_second ? 4 : 0;
    for (int frame = first; frame < first + 9; ++frame) {
      run.robot->roll(frame);
      run.robot->see(frame);
      if (!is_second) run.until(static_cast<std::size_t>(frame) + 1);
      run.graph.turn(20);
    }
    EXPECT_EQ(run.graph.errors(), "");
    run.until(1);
    const PlanarPose real = between(Robot::at(0), Robot::at(first + 8));
    EXPECT_NEAR(run.robot->poses.back().pose.position.x, real.x, 0.03);
    EXPECT_NEAR(run.robot->poses.back().pose.position.y, real.y, 0.03);
  }
  std::filesystem::remove(file);
}

TEST(SlamNode, SaysThatAMapIsNone) {
  GraphRun graph;
  (void)graph.add("slam", {{"map", "/nowhere/map"}});
  EXPECT_NE(graph.errors().find("the map '/nowhere/map' cannot be read"), std::string::npos);
}

TEST(SlamNode, SaysThatOdometryIsNoNumber) {
  SlamRun run;
  run.robot->roll(0, std::numeric_limits<double>::quiet_NaN());
  while (run.graph.errors().empty()) run.graph.turn(1);
  EXPECT_NE(run.graph.errors().find("has a pose that is no number"), std::string::npos);
}

}  // namespace
}  // namespace ligament::nodes::driving::slam
