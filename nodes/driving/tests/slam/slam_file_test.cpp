// SPDX-License-Identifier: Apache-2.0
// A map in a file: it comes back as it was, robots find themselves in it, and broken ones are
// refused.
#include "slam/slam_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "scene.hpp"
#include "slam/slam.hpp"

namespace ligament::nodes::driving::slam {
namespace {

const RobotCamera kSmall({320, 240}, 0.14, 0.05, 25, 80);

class SlamFile : public ::testing::Test {
 protected:
  SlamFile() {
    std::string name = std::filesystem::temp_directory_path() / "slam-file-XXXXXX";
    folder_ = ::mkdtemp(name.data());
  }
  ~SlamFile() override { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::filesystem::path file() const { return folder_ / "map"; }
  [[nodiscard]] std::string bytes() const {
    std::ifstream stream(file(), std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  void put(const std::string& bytes) const { std::ofstream(file(), std::ios::binary) << bytes; }
  /// Drives around the room, from one way to another.
  static Slam driven(double from, double to) {
    Slam slam(kSmall, {});
    for (double way = from; way < to; way += 0.03) {
      (void)slam.step(draw_room(kSmall, on_circle(way)), on_circle(way));
    }
    return slam;
  }

 private:
  std::filesystem::path folder_;
};

TEST_F(SlamFile, AMapComesBackAsItWas) {
  const Slam slam = driven(0, 0.6);
  ASSERT_TRUE(save_map(file(), slam.map(), kSmall.size()));
  const auto back = load_map(file());
  ASSERT_TRUE(back) << back.error();
  const Map& map = back->map;
  EXPECT_EQ(back->size, kSmall.size());
  ASSERT_EQ(map.keyframes.size(), slam.map().keyframes.size());
  ASSERT_EQ(map.points.size(), slam.map().points.size());
  EXPECT_EQ(map.living(), slam.map().living());
  for (std::size_t k = 0; k < map.keyframes.size(); ++k) {
    EXPECT_EQ(map.keyframes[k].points, slam.map().keyframes[k].points);
    EXPECT_EQ(map.keyframes[k].pose.heading, slam.map().keyframes[k].pose.heading);
  }
  for (std::size_t p = 0; p < map.points.size(); ++p) {
    EXPECT_EQ(map.points[p].place, slam.map().points[p].place);
    auto seen = slam.map().points[p].seen;
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(map.points[p].seen, seen);
  }
  // The same again: what is read is written as it was.
  const std::string before = bytes();
  ASSERT_TRUE(save_map(file(), map, back->size));
  EXPECT_EQ(bytes(), before);
}

TEST_F(SlamFile, ARobotFindsItselfInAMapThatWasMadeBefore) {
  const Slam before = driven(0, 1.5);
  RecordProperty("points", std::to_string(before.map().living()));
  ASSERT_TRUE(save_map(file(), before.map(), kSmall.size()));
  auto back = load_map(file());
  ASSERT_TRUE(back) << back.error();
  const std::size_t keyframes = back->map.keyframes.size();
  Slam slam(kSmall, {}, std::move(back->map));
  // In the dark it is nowhere; and its wheels begin at 0, wherever it is.
  const cv::Mat dark(kSmall.size(), CV_8UC1, cv::Scalar(90));
  EXPECT_FALSE(slam.step(dark, {}).located);
  int located = 0;
  for (double way = 0.7; way < 1.3; way += 0.03) {
    const PlanarPose wheels = between(on_circle(0.7), on_circle(way));
    const SlamStep step = slam.step(draw_room(kSmall, on_circle(way)), wheels);
    if (!step.located) {
      EXPECT_EQ(located, 0) << "it knew its place before";
      continue;
    }
    ++located;
    const PlanarPose real = between(on_circle(0), on_circle(way));
    EXPECT_LT(distance(step.pose, real), 0.04) << "after " << way << " m";
    EXPECT_NEAR(wrapped(step.pose.heading - real.heading), 0, 0.05);
  }
  EXPECT_GE(located, 10) << "of 20 pictures";
  EXPECT_LE(slam.map().keyframes.size(), keyframes + 5) << "it uses the map that it was given";
}

TEST_F(SlamFile, AFileThatIsCutOrChangedIsRefusedOrAMap) {
  ASSERT_TRUE(save_map(file(), driven(0, 0.1).map(), kSmall.size()));
  const std::string whole = bytes();
  for (std::size_t size = 0; size < whole.size(); size += 1 + whole.size() / 150) {
    put(whole.substr(0, size));
    EXPECT_FALSE(load_map(file())) << size;
  }
  put(whole + "x");
  EXPECT_FALSE(load_map(file()));
  for (std::size_t at = 0; at < whole.size(); at += 1 + whole.size() / 400) {
    std::string changed = whole;
    changed[at] = static_cast<char>(~changed[at]);
    put(changed);
    const auto back = load_map(file());
    if (!back) continue;  // what is accepted can be used
    Slam slam(kSmall, {}, back->map);
    if (at % 20 == 0) (void)slam.step(draw_room(kSmall, on_circle(0)), on_circle(0));
  }
}

TEST_F(SlamFile, SaysWhatIsWrong) {
  EXPECT_NE(load_map(file()).error().find("cannot be read"), std::string::npos);
  put("a letter");
  EXPECT_NE(load_map(file()).error().find("is no map of driving/slam"), std::string::npos);
  const auto saved = save_map("/proc/nowhere/map", Map{}, kSmall.size());
  ASSERT_FALSE(saved);
  EXPECT_NE(saved.error().find("cannot be written"), std::string::npos);
}

}  // namespace
}  // namespace ligament::nodes::driving::slam
