// SPDX-License-Identifier: Apache-2.0
// Bad input of the nodes: each is a sentence that names what and where, and nothing crashes. A
// sentence that a node's constructor reports stops its container (tested there).
#include <gmock/gmock.h>

#include "tests/chain.hpp"

namespace ligament::nodes::image {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

/// What a camera with these parameters says when it is made.
std::string camera_says(const GraphRun::Parameters& parameters) {
  GraphRun graph;
  graph.add("camera", parameters);
  return graph.errors();
}

TEST(CameraBadInput, NamesAnEmptyFolder) {
  const TemporaryFolder folder;
  EXPECT_THAT(camera_says({{"source", folder.path().string()}}),
              AllOf(HasSubstr(folder.path().string()), HasSubstr("holds no image")));
}

TEST(CameraBadInput, NamesAnUnreadableImage) {
  const TemporaryFolder folder;
  folder.write("broken.png", "no image");
  EXPECT_THAT(camera_says({{"source", folder.path().string()}}), HasSubstr("broken.png"));
}

TEST(CameraBadInput, NamesASourceThatIsNotThere) {
  EXPECT_THAT(camera_says({{"source", "/nowhere/at/all"}}), HasSubstr("/nowhere/at/all"));
}

TEST(CameraBadInput, NamesBothSizesOfAWrongCalibration) {
  const ChainInput input;
  cv::imwrite((input.folder() / "small0.png").string(), noise_image(80, 60, CV_8UC3));
  EXPECT_THAT(camera_says({{"source", (input.folder() / "small*.png").string()},
                           {"calibration", input.calibration_file()}}),
              AllOf(HasSubstr("160x120"), HasSubstr("80x60")));
}

TEST(CameraBadInput, NamesTheSizesOfUnlikeFrames) {
  const ChainInput input;
  cv::imwrite((input.folder() / "f9.png").string(), noise_image(80, 60, CV_8UC3));
  EXPECT_THAT(camera_says({{"source", input.source()}}),
              AllOf(HasSubstr("160x120"), HasSubstr("80x60")));
}

TEST(CameraBadInput, NamesADamagedRecordingAndAVideoThatIsNone) {
  const TemporaryFolder folder;
  for (const char* name : {"cut.mcap", "cut.db3", "none.mp4"}) {
    EXPECT_THAT(camera_says({{"source", folder.write(name, "not what it says")}}), HasSubstr(name));
  }
}

TEST(CameraBadInput, NamesAMissingCalibration) {
  const ChainInput input;
  EXPECT_THAT(camera_says({{"source", input.source()}, {"calibration", "/nowhere.yml"}}),
              HasSubstr("/nowhere.yml"));
}

TEST(CameraBadInput, RefusesParametersOutOfTheirLimits) {
  EXPECT_THAT(camera_says({{"pacing", "quickly"}}), HasSubstr("pacing"));
  EXPECT_THAT(camera_says({{"in_flight", 0}}), HasSubstr("in_flight"));
  EXPECT_THAT(camera_says({{"rate_hz", -1.0}}), HasSubstr("rate_hz"));
  EXPECT_THAT(camera_says({{"encoding", "yuv"}}), HasSubstr("encoding"));
}

TEST(CameraBadInput, RefusesStampsThatTheSourceDoesNotHave) {
  const ChainInput input;
  EXPECT_THAT(camera_says({{"source", input.source()}, {"stamp", "source"}}), HasSubstr("stamp"));
}

TEST(SinkBadInput, NamesAFolderThatCannotBeWritten) {
  GraphRun graph;
  graph.add("sink", {{"output_dir", "/proc/nowhere"}});
  EXPECT_THAT(graph.errors(), HasSubstr("/proc/nowhere"));
}

TEST(RectifyBadInput, RefusesAnInterpolationThatRemapLacks) {
  GraphRun graph;
  graph.add("rectify", {{"interpolation", 3}});
  EXPECT_THAT(graph.errors(), HasSubstr("interpolation"));
}

TEST(RectifyBadInput, SaysThatTheCameraIsUncalibrated) {
  const ChainInput input;
  for (const char* kind : {"rectify", "rectify_resize"}) {
    GraphRun graph;
    graph.add(kind, {}, {{"image", "image_raw"}});
    Node* camera = graph.add("camera", {{"source", input.source()}, {"pacing", "rate"}});
    ASSERT_NE(camera, nullptr);
    graph.run_until_finished(*camera);
    EXPECT_THAT(graph.errors(), AllOf(HasSubstr("uncalibrated"), HasSubstr("/camera_info")))
        << kind;
  }
}

/// Publishes one hand-made image with a calibration, and gives the nodes some turns.
class HandMade {
 public:
  explicit HandMade(GraphRun& graph) : graph_(graph) {
    NodeOptions options;
    options.context(graph.context());
    node_ = std::make_shared<Node>("hand", options);
    images_ = node_->create_publisher<sensor_msgs::msg::Image>("image", QoS(5));
    infos_ = node_->create_publisher<sensor_msgs::msg::CameraInfo>("camera_info", QoS(5));
    (void)graph.executor().add_node(node_);
  }
  void send(const sensor_msgs::msg::Image& image, const Calibration& c) {
    // What is sent before somebody is matched is lost; not each node takes calibrations.
    for (int i = 0; i < 200 && images_->get_subscription_count() == 0; ++i) graph_.turn(1);
    for (int i = 0; i < 50 && infos_->get_subscription_count() == 0; ++i) graph_.turn(1);
    graph_.turn(5);
    sensor_msgs::msg::CameraInfo info;
    info.width = c.width;
    info.height = c.height;
    info.distortion_model = c.distortion_model;
    info.d = c.d;
    info.k = c.k;
    info.r = c.r;
    info.p = c.p;
    infos_->publish(info);
    images_->publish(image);
    graph_.turn(20);
  }
  static sensor_msgs::msg::Image image(std::uint32_t width, std::uint32_t height) {
    sensor_msgs::msg::Image image;
    image.width = width;
    image.height = height;
    image.step = width;
    image.encoding = "mono8";
    image.data.assign(std::size_t{width} * height, 7);
    return image;
  }

 private:
  GraphRun& graph_;
  std::shared_ptr<Node> node_;
  std::shared_ptr<Publisher<sensor_msgs::msg::Image>> images_;
  std::shared_ptr<Publisher<sensor_msgs::msg::CameraInfo>> infos_;
};

TEST(RectifyBadInput, NamesBothSizes) {
  GraphRun graph;
  graph.add("rectify");
  HandMade hand(graph);
  hand.send(HandMade::image(20, 10), test_calibration(40, 30));
  EXPECT_THAT(graph.errors(), AllOf(HasSubstr("20x10"), HasSubstr("40x30")));
}

TEST(RectifyBadInput, AnImageThatLiesAboutItsSizeIsRefused) {
  for (const char* kind : {"rectify", "resize", "rectify_resize", "sink"}) {
    const TemporaryFolder outputs;
    GraphRun graph;
    GraphRun::Parameters parameters;
    if (std::string(kind) == "sink") parameters = {{"output_dir", outputs.path().string()}};
    // The node's own name for its input, whichever of the two it is.
    ASSERT_NE(graph.add(kind, parameters, {{"image/image_raw", "image"}}), nullptr)
        << graph.errors();
    HandMade hand(graph);
    auto image = HandMade::image(20, 10);
    image.height = 11;
    hand.send(image, test_calibration(20, 11));
    EXPECT_THAT(graph.errors(), HasSubstr("shorter than step * height")) << kind;
  }
}

TEST(RectifyBadInput, AnUnknownEncodingIsNamed) {
  GraphRun graph;
  graph.add("rectify");
  HandMade hand(graph);
  auto image = HandMade::image(20, 10);
  image.encoding = "bayer_rggb8";
  hand.send(image, test_calibration(20, 10));
  EXPECT_THAT(graph.errors(), HasSubstr("bayer_rggb8"));
}

TEST(Rectify, PassesAnImageOfALensWithoutDistortionOn) {
  const TemporaryFolder outputs;
  GraphRun graph;
  graph.add("rectify");
  Node* sink = graph.add("sink", {{"frames", 1}, {"output_dir", outputs.path().string()}},
                         {{"image", "image_rect"}});
  ASSERT_NE(sink, nullptr);
  HandMade hand(graph);
  Calibration c = test_calibration(20, 10);
  c.d.clear();
  hand.send(HandMade::image(20, 10), c);
  EXPECT_THAT(graph.errors(), IsEmpty());
  ASSERT_TRUE(graph.run_until_finished(*sink));
  cv::Mat same(10, 20, CV_8UC1, cv::Scalar(7));
  char hash[17];
  std::snprintf(hash, sizeof hash, "%016llx",
                static_cast<unsigned long long>(image_hash(same, "mono8")));
  EXPECT_THAT(lines_of(outputs.path() / "sink.jsonl").at(0), HasSubstr(hash));
}

TEST(ResizeBadInput, RefusesAnEmptySize) {
  GraphRun graph;
  graph.add("resize", {{"use_scale", false}, {"height", 0}});
  EXPECT_THAT(graph.errors(), HasSubstr("height"));
}

TEST(ResizeBadInput, SaysThatAScaleGivesNoImage) {
  GraphRun graph;
  graph.add("resize", {{"scale_height", 0.001}}, {{"image/image_raw", "image"}});
  HandMade hand(graph);
  hand.send(HandMade::image(20, 10), test_calibration(20, 10));
  EXPECT_THAT(graph.errors(), HasSubstr("20x10"));
}

}  // namespace
}  // namespace ligament::nodes::image
