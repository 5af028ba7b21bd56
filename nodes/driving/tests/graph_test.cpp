// SPDX-License-Identifier: Apache-2.0
// The two driving graphs as they run, with real nodes in one process: the road draws, the chain
// drives. In lock step, so that no test depends on how fast the machine is.
#include <gtest/gtest.h>

#include <cmath>
#include <ligament/geometry_msgs/msg/point_stamped.hpp>
#include <ligament/geometry_msgs/msg/polygon_stamped.hpp>
#include <ligament/geometry_msgs/msg/twist.hpp>
#include <limits>

#include "tests/graph_run.hpp"

namespace ligament::nodes::driving {
namespace {

using geometry_msgs::msg::PointStamped;
using geometry_msgs::msg::PolygonStamped;
using geometry_msgs::msg::Twist;
using image::GraphRun;
using sensor_msgs::msg::Image;

/// Hears what the graph says.
class Listener : public Node {
 public:
  explicit Listener(const NodeOptions& options) : Node("listener", options) {
    commands_ = create_subscription<Twist>("cmd_vel", QoS(10), [this](const Twist& command) {
      commands.emplace_back(command.linear.x, command.angular.z);
    });
    red_ = create_subscription<PointStamped>("E", QoS(10), [this](const PointStamped& e) {
      (e.point.z < 0 ? no_reds : reds).push_back(e);
    });
    green_ = create_subscription<PointStamped>("F", QoS(10), [this](const PointStamped& e) {
      (e.point.z < 0 ? no_greens : greens).push_back(e);
    });
    lane_ = create_subscription<PolygonStamped>(
        "D", QoS(10), [this](const PolygonStamped& lane) { lanes.push_back(lane); });
  }
  std::vector<std::pair<double, double>> commands;
  std::vector<PointStamped> reds;
  std::vector<PointStamped> greens;
  std::vector<PointStamped> no_reds;  ///< frames without one
  std::vector<PointStamped> no_greens;
  std::vector<PolygonStamped> lanes;

 private:
  Subscription<Twist>::SharedPtr commands_;
  Subscription<PointStamped>::SharedPtr red_;
  Subscription<PointStamped>::SharedPtr green_;
  Subscription<PolygonStamped>::SharedPtr lane_;
};

constexpr std::int64_t kFrames = 130;
constexpr std::int64_t kRedFrom = 40;
constexpr std::int64_t kRedFrames = 40;

enum class Form : std::uint8_t { lanes, slam };

/// Smaller pictures than a camera's, so that a test draws and drives fast.
void add_chain(GraphRun& graph, Form form) {
  const bool lanes = form == Form::lanes;
  // Whatever the machine does: the watchdog is for robots.
  graph.add("lane_control", {{"slow_after_ms", 59'000}, {"stop_after_ms", 60'000}},
            {{"lane", "D"}, {"red", "E"}, {"green", "F"}});
  graph.add("red_light", {{"alternates", !lanes}, {"diameter_from", 4}},
            {{"image", "A"}, {"red", "E"}, {"green", lanes ? "unused" : "F"}});
  graph.add("green_light", {{"diameter_from", 4}}, {{"image", "A"}, {"red", "E"}, {"green", "F"}});
  const GraphRun::Parameters size{{"width", 500}, {"height", 300}};
  if (lanes) {
    graph.add("lane_following", {}, {{"image", "C"}, {"lane", "D"}});
    graph.add("projection", size, {{"image", "B"}, {"image_projected", "C"}});
  } else {
    graph.add("polyfit", {}, {{"image", "C"}, {"lane", "D"}});
    graph.add("lane_planner", size, {{"image", "B"}, {"lane_mask", "C"}});
  }
  graph.add("blur", {{"size", 3}}, {{"image", "A"}, {"image_blurred", "B"}});
  graph.add("compensation", {}, {{"image", "image_raw"}, {"image_compensated", "A"}});
}

/// What the graph said in a drive of kFrames frames; the graph's errors fail the test.
std::shared_ptr<Listener> driven(Form form, GraphRun::Parameters road = {}) {
  GraphRun graph;
  NodeOptions options;
  options.context(graph.context());
  auto listener = std::make_shared<Listener>(options);
  EXPECT_TRUE(graph.executor().add_node(listener));
  add_chain(graph, form);
  road.insert(road.end(), {{"width", 320}, {"height", 240}, {"frames", kFrames}});
  const Node* source = graph.add("road", road);
  EXPECT_TRUE(source != nullptr && graph.run_until_finished(*source)) << graph.errors();
  graph.turn(5);
  EXPECT_EQ(graph.errors(), "");
  return listener;
}

std::int64_t frame_of(const PointStamped& event) {
  const double seconds = event.header.stamp.sec + 1e-9 * event.header.stamp.nanosec - 1;
  return std::llround(seconds * 30);
}

class Drives : public ::testing::TestWithParam<Form> {};

TEST_P(Drives, AlongTheLaneAndStopsAtRed) {
  const auto heard = driven(GetParam(), {{"red_from", kRedFrom}, {"red_frames", kRedFrames}});
  ASSERT_GE(heard->commands.size(), static_cast<std::size_t>(kFrames));
  ASSERT_FALSE(heard->reds.empty());
  ASSERT_FALSE(heard->greens.empty());
  // Each frame is accounted for, with a light or without.
  const auto frames = static_cast<std::size_t>(kFrames);
  EXPECT_GE(heard->reds.size() + heard->no_reds.size(), frames);
  EXPECT_GE(heard->greens.size() + heard->no_greens.size(), frames);
  // Three frames show a light before it counts.
  EXPECT_EQ(frame_of(heard->reds.front()), kRedFrom + 2);
  // Red may count until five frames after it went out; green is announced after it.
  EXPECT_GE(frame_of(heard->greens.front()), kRedFrom + kRedFrames + 2);
  EXPECT_LE(frame_of(heard->greens.front()), kRedFrom + kRedFrames + 8);
  const auto stopped = [](const auto& command) { return command.first == 0; };
  const auto& commands = heard->commands;
  EXPECT_NEAR(commands[kRedFrom].first, 0.2, 0.01);
  EXPECT_TRUE(std::all_of(commands.begin() + kRedFrom + 16,
                          commands.begin() + kRedFrom + kRedFrames, stopped));
  EXPECT_NEAR(commands.back().first, 0.2, 0.02);
  for (const auto& lane : heard->lanes) {
    EXPECT_EQ(lane.polygon.points.size(), GetParam() == Form::lanes ? 1U : 6U);
    EXPECT_EQ(lane.header.frame_id, "base_link");
  }
}

TEST_P(Drives, BackToTheMiddleOfTheLane) {
  const auto heard = driven(GetParam(), {{"offset", 0.06}});
  ASSERT_FALSE(heard->lanes.empty());
  EXPECT_LT(heard->lanes.front().polygon.points.at(0).y, -0.045F);
  EXPECT_NEAR(heard->lanes.back().polygon.points.at(0).y, 0, 0.015);
  EXPECT_TRUE(heard->reds.empty());
}

INSTANTIATE_TEST_SUITE_P(Graph, Drives, ::testing::Values(Form::lanes, Form::slam),
                         [](const auto& form) {
                           return form.param == Form::lanes ? "lanes" : "slam";
                         });

TEST(Drive, IsTheSameInEachRun) {
  const GraphRun::Parameters road{{"red_from", kRedFrom}, {"red_frames", kRedFrames}};
  const auto first = driven(Form::lanes, road);
  const auto second = driven(Form::lanes, road);
  EXPECT_EQ(first->commands, second->commands);
  EXPECT_EQ(first->lanes, second->lanes);
}

TEST(Drive, StandsStillWithoutALane) {
  const auto heard =
      driven(Form::lanes, {{"yellow", false}, {"white", false}, {"frames", kFrames}});
  for (const auto& command : heard->commands) EXPECT_EQ(command.first, 0);
  for (const auto& lane : heard->lanes) EXPECT_TRUE(lane.polygon.points.empty());
}

// --- what nodes refuse
// ------------------------------------------------------------------------------

/// The sentences of a node that was given an image of an encoding.
std::string refusal(const std::string& kind, const std::string& encoding, std::uint32_t width) {
  GraphRun graph;
  NodeOptions options;
  options.context(graph.context());
  auto camera = std::make_shared<Node>("camera", options);
  auto publisher = camera->create_publisher<Image>("image", QoS(5));
  EXPECT_TRUE(graph.executor().add_node(camera));
  if (graph.add(kind) == nullptr) return graph.errors();
  Image message;
  message.encoding = encoding;
  message.width = message.step = width;
  message.height = 4;
  message.data.resize(std::size_t{width} * 4);
  while (publisher->get_subscription_count() == 0) graph.turn(1);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(publisher->publish(message));
  for (int i = 0; i < 6000 && graph.errors().empty(); ++i) graph.turn(1);
  graph.turn(20);
  return graph.errors();
}

TEST(Nodes, SayOnceWhichImagesTheyCannotUse) {
  for (const char* kind :
       {"compensation", "projection", "lane_planner", "lane_following", "red_light"}) {
    const std::string said = refusal(kind, "mono8", 8);
    EXPECT_NE(said.find("rgb8"), std::string::npos) << kind << ": " << said;
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << kind << ": " << said;
  }
  const std::string said = refusal("polyfit", "rgb8", 12);
  EXPECT_NE(said.find("driving/lane_planner"), std::string::npos) << said;
  EXPECT_NE(refusal("projection", "rgb8", 2).find("`step`"), std::string::npos);
}

TEST(Nodes, SayWhichParametersContradict) {
  const auto said = [](const char* kind, const GraphRun::Parameters& parameters) {
    GraphRun graph;
    graph.add(kind, parameters);
    return graph.errors();
  };
  EXPECT_NE(said("projection", {{"far_edge", 0.1}}).find("`far_edge`"), std::string::npos);
  EXPECT_NE(said("lane_planner", {{"near_edge", 0.0}, {"camera_pitch", -10.0}}).find("`near_edge`"),
            std::string::npos);
  EXPECT_NE(said("polyfit", {{"far_edge", 0.1}}).find("`far_edge`"), std::string::npos);
  EXPECT_NE(said("lane_following", {{"look_ahead", 0.9}}).find("`look_ahead`"), std::string::npos);
  EXPECT_NE(said("lane_control", {{"stop_after_ms", 100}}).find("`stop_after_ms`"),
            std::string::npos);
}

TEST(Nodes, TakeALaneThatIsNoneForNone) {
  GraphRun graph;
  NodeOptions options;
  options.context(graph.context());
  auto listener = std::make_shared<Listener>(options);
  auto sender = std::make_shared<Node>("sender", options);
  auto publisher = sender->create_publisher<PolygonStamped>("D", QoS(5));
  EXPECT_TRUE(graph.executor().add_node(listener));
  EXPECT_TRUE(graph.executor().add_node(sender));
  graph.add("lane_control", {}, {{"lane", "D"}});
  PolygonStamped lane;
  lane.header.stamp.sec = 1;
  lane.polygon.points.resize(1);
  lane.polygon.points[0].x = std::numeric_limits<float>::quiet_NaN();
  while (publisher->get_subscription_count() < 2) graph.turn(1);
  EXPECT_TRUE(publisher->publish(lane));
  for (int i = 0; i < 6000 && listener->commands.empty(); ++i) graph.turn(1);
  EXPECT_NE(graph.errors().find("no number"), std::string::npos) << graph.errors();
  ASSERT_FALSE(listener->commands.empty());
  EXPECT_EQ(listener->commands.front(), std::pair(0.0, 0.0));
}

TEST(Nodes, GiveNoCommandBeforeTheDetectorsAreDone) {
  GraphRun graph;
  NodeOptions options;
  options.context(graph.context());
  auto listener = std::make_shared<Listener>(options);
  auto sender = std::make_shared<Node>("sender", options);
  auto lanes = sender->create_publisher<PolygonStamped>("D", QoS(5));
  auto reds = sender->create_publisher<PointStamped>("E", QoS(5));
  EXPECT_TRUE(graph.executor().add_node(listener));
  EXPECT_TRUE(graph.executor().add_node(sender));
  graph.add("lane_control", {{"slow_after_ms", 59'000}, {"stop_after_ms", 60'000}},
            {{"lane", "D"}, {"red", "E"}});
  while (lanes->get_subscription_count() < 2 || reds->get_subscription_count() < 2) graph.turn(1);
  const auto say_no_red = [&](std::uint32_t ms) {
    PointStamped frame;
    frame.header.stamp.nanosec = ms * 1'000'000;
    frame.point.z = -1;
    EXPECT_TRUE(reds->publish(frame));
    const std::size_t before = listener->no_reds.size();
    for (int i = 0; i < 6000 && listener->no_reds.size() == before; ++i) graph.turn(1);
    graph.turn(10);  // Lane Control has heard it, too
  };
  say_no_red(0);
  PolygonStamped lane;
  lane.header.stamp.nanosec = 150'000'000;  // a light of up to 50 ms counts for it
  EXPECT_TRUE(lanes->publish(lane));
  for (int i = 0; i < 6000 && listener->lanes.empty(); ++i) graph.turn(1);
  graph.turn(10);
  EXPECT_TRUE(listener->commands.empty());
  say_no_red(49);
  EXPECT_TRUE(listener->commands.empty());
  say_no_red(66);
  EXPECT_EQ(listener->commands.size(), 1U);
  // Who has gone is not waited for.
  lane.header.stamp.nanosec = 900'000'000;
  EXPECT_TRUE(lanes->publish(lane));
  for (int i = 0; i < 6000 && listener->lanes.size() < 2; ++i) graph.turn(1);
  graph.turn(10);
  EXPECT_EQ(listener->commands.size(), 1U);
  reds.reset();
  for (int i = 0; i < 6000 && listener->commands.size() < 2; ++i) graph.turn(1);
  EXPECT_EQ(listener->commands.size(), 2U);
}

}  // namespace
}  // namespace ligament::nodes::driving
