// SPDX-License-Identifier: Apache-2.0
// Golden tests of the nodes: camera, rectify, resize, sink run as a graph, and every recorded frame
// equals what OpenCV gives when it is called directly; and the fused node equals the chain.
#include "tests/chain.hpp"

#include <gmock/gmock.h>

namespace ligament::nodes::image {
namespace {

struct Named {
  const char* name;
  ChainCase settings;
};

/// Without it, tests are listed with the bytes of their settings.
void PrintTo(const Named& named, std::ostream* out) { *out << named.name; }

class ChainTest : public testing::TestWithParam<Named> {};

TEST_P(ChainTest, ChainAndFusedNodeEqualOpenCv) {
  const ChainInput input;
  const TemporaryFolder folder;
  const auto expected = expected_lines(GetParam().settings, folder);
  ASSERT_EQ(expected.size(), static_cast<std::size_t>(GetParam().settings.frames));
  EXPECT_EQ(recorded_lines(GetParam().settings, input, Form::chain), expected);
  EXPECT_EQ(recorded_lines(GetParam().settings, input, Form::fused), expected);
}

// Every parameter that can change pixels, or the way they take, once off its default.
INSTANTIATE_TEST_SUITE_P(
    Settings, ChainTest,
    testing::Values(Named{"Defaults", {}}, Named{"Bgr8", {.encoding = "bgr8"}},
                    Named{"Mono8", {.encoding = "mono8"}}, Named{"Rgba8", {.encoding = "rgba8"}},
                    Named{"Bgra8", {.encoding = "bgra8"}},
                    Named{"RectifyNearest", {.rectify_interpolation = cv::INTER_NEAREST}},
                    Named{"RectifyCubic", {.rectify_interpolation = cv::INTER_CUBIC}},
                    Named{"RectifyLanczos", {.rectify_interpolation = cv::INTER_LANCZOS4}},
                    Named{"ResizeNearest", {.resize_interpolation = cv::INTER_NEAREST}},
                    Named{"ResizeCubic", {.resize_interpolation = cv::INTER_CUBIC}},
                    Named{"ResizeArea", {.resize_interpolation = cv::INTER_AREA}},
                    Named{"ResizeLanczos", {.resize_interpolation = cv::INTER_LANCZOS4}},
                    Named{"UnevenScale", {.scale_height = 0.33, .scale_width = 1.7}},
                    Named{"Size", {.use_scale = false, .height = 48, .width = 64}},
                    Named{"HeightOnly", {.use_scale = false, .height = 48}},
                    Named{"LatestPairing", {.pairing = "latest"}},
                    Named{"ShortQueue", {.queue_size = 1}}, Named{"TwoThreads", {.threads = 2}},
                    Named{"TwoInFlight", {.frames = 9, .in_flight = 2}}),
    [](const auto& test) { return test.param.name; });

TEST(Camera, LoopsInOrderToAnyLength) {
  ChainCase settings;
  settings.frames = 3 * kImages + 1;
  const ChainInput input;
  const auto lines = recorded_lines(settings, input, Form::chain);
  ASSERT_EQ(lines.size(), 10U) << testing::PrintToString(lines);
  const auto hash = [&](std::size_t i) { return lines[i].substr(lines[i].find("\"hash\"")); };
  for (std::size_t i = 0; i + kImages < lines.size(); ++i) EXPECT_EQ(hash(i), hash(i + kImages));
  EXPECT_NE(hash(0), hash(1));
}

TEST(Camera, StreamsTheSameFramesAsItPreloads) {
  const ChainInput input;
  std::vector<std::vector<std::string>> recorded;
  for (const bool preload : {true, false}) {
    const TemporaryFolder outputs;
    GraphRun graph;
    Node* sink = graph.add("sink", {{"frames", 7}, {"output_dir", outputs.path().string()}},
                           {{"image", "image_raw"}});
    graph.add("camera", {{"source", input.source()}, {"frames", 7}, {"preload", preload}});
    ASSERT_TRUE(sink != nullptr && graph.run_until_finished(*sink)) << graph.errors();
    recorded.push_back(lines_of(outputs.path() / "sink.jsonl"));
  }
  EXPECT_EQ(recorded[0].size(), 7U);
  EXPECT_EQ(recorded[0], recorded[1]);
}

TEST(Camera, EveryPacingDeliversEveryFrameWhenTheSinkKeepsUp) {
  const ChainInput input;
  for (const char* pacing : {"ack", "rate"}) {
    const TemporaryFolder outputs;
    GraphRun graph;
    Node* sink = graph.add("sink", {{"frames", 5}, {"output_dir", outputs.path().string()}},
                           {{"image", "image_raw"}});
    Node* camera = graph.add("camera", {{"source", input.source()},
                                        {"frames", 5},
                                        {"pacing", pacing},
                                        {"rate_hz", 200.0},
                                        {"start_ns", 7}});
    ASSERT_TRUE(sink != nullptr && graph.run_until_finished(*sink)) << graph.errors();
    EXPECT_TRUE(graph.run_until_finished(*camera));
    const auto lines = lines_of(outputs.path() / "sink.jsonl");
    ASSERT_EQ(lines.size(), 5U) << pacing;
    EXPECT_THAT(lines[2], testing::HasSubstr("\"stamp_ns\":10000007,")) << pacing;
  }
}

TEST(Sink, SavesTheChosenFrames) {
  const ChainInput input;
  const TemporaryFolder outputs;
  GraphRun graph;
  Node* sink = graph.add("sink",
                         {{"frames", 3},
                          {"output_dir", outputs.path().string()},
                          {"save_frames", std::vector<std::int64_t>{1}}},
                         {{"image", "image_raw"}});
  graph.add("camera", {{"source", input.source()}, {"frames", 3}});
  ASSERT_TRUE(sink != nullptr && graph.run_until_finished(*sink)) << graph.errors();
  const cv::Mat saved = cv::imread((outputs.path() / "sink_1.png").string(), cv::IMREAD_UNCHANGED);
  EXPECT_TRUE(identical(saved, ChainInput::image(1)));
  EXPECT_FALSE(std::filesystem::exists(outputs.path() / "sink_0.png"));
}

TEST(Sink, RecordsNothingWhenToldSo) {
  const ChainInput input;
  const TemporaryFolder outputs;
  GraphRun graph;
  Node* sink =
      graph.add("sink", {{"frames", 2}, {"record", false}, {"output_dir", outputs.path().string()}},
                {{"image", "image_raw"}});
  graph.add("camera", {{"source", input.source()}, {"frames", 2}});
  ASSERT_TRUE(sink != nullptr && graph.run_until_finished(*sink)) << graph.errors();
  EXPECT_TRUE(std::filesystem::is_empty(outputs.path()));
}

TEST(Resize, PublishesTheResizedCalibration) {
  const ChainInput input;
  GraphRun graph;
  Calibration seen;
  NodeOptions options;
  options.context(graph.context());
  auto listener = std::make_shared<Node>("listener", options);
  auto subscription = listener->create_subscription<sensor_msgs::msg::CameraInfo>(
      "resize/camera_info", QoS(5), [&](const sensor_msgs::msg::CameraInfo& info) {
        seen.width = info.width;
        seen.k = info.k;
        listener->finish();
      });
  ASSERT_TRUE(graph.executor().add_node(listener));
  ChainCase settings;
  settings.scale_width = 0.25;
  add_middle(graph, settings, Form::chain);
  graph.add("camera", {{"source", input.source()},
                       {"calibration", input.calibration_file()},
                       {"pacing", "rate"},
                       {"rate_hz", 500.0}});
  ASSERT_TRUE(graph.run_until_finished(*listener)) << graph.errors();
  EXPECT_EQ(seen.width, 40U);
  EXPECT_DOUBLE_EQ(seen.k[0], ChainInput::calibration().k[0] / 4);
  EXPECT_DOUBLE_EQ(seen.k[4], ChainInput::calibration().k[4] / 2);
}

}  // namespace
}  // namespace ligament::nodes::image
