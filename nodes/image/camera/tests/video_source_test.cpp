// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <opencv2/videoio.hpp>

#include "camera/sources.hpp"
#include "tests/temporary_folder.hpp"
#include "tests/test_images.hpp"

namespace ligament::nodes::image {
namespace {

using testing::HasSubstr;

class VideoSourceTest : public testing::Test {
 protected:
  /// Frame i is uniformly grey with value 40 * i, which survives any codec.
  std::string write_video(int frames) {
    const std::string path = (folder_.path() / "v.avi").string();
    cv::VideoWriter writer(path, cv::CAP_FFMPEG, cv::VideoWriter::fourcc('M', 'J', 'P', 'G'), 25,
                           {64, 48});
    if (!writer.isOpened()) return {};
    for (int i = 0; i < frames; ++i)
      writer.write(cv::Mat(48, 64, CV_8UC3, cv::Scalar::all(40 * i)));
    return path;
  }
  TemporaryFolder folder_;
};

TEST_F(VideoSourceTest, GivesEveryFrameAndStartsAgain) {
  const std::string path = write_video(5);
  if (path.empty()) GTEST_SKIP() << "OpenCV's FFmpeg back-end cannot write MJPEG here";
  auto source = open_source({.path = path, .encoding = "rgb8"});
  ASSERT_TRUE(source) << source.error().text;
  for (int pass = 0; pass < 2; ++pass) {
    for (int i = 0; i < 5; ++i) {
      const auto frame = (*source)->next();
      ASSERT_TRUE(frame) << frame.error().text;
      ASSERT_TRUE(*frame) << "frame " << i << " of pass " << pass;
      EXPECT_EQ((*frame)->image.size(), cv::Size(64, 48));
      EXPECT_NEAR(cv::mean((*frame)->image)[0], 40 * i, 5);
      EXPECT_EQ((*frame)->encoding, "rgb8");
    }
    EXPECT_FALSE(*(*source)->next());
    ASSERT_TRUE((*source)->rewind());
  }
}

TEST_F(VideoSourceTest, FramesDoNotShareTheDecodersBuffer) {
  const std::string path = write_video(3);
  if (path.empty()) GTEST_SKIP() << "OpenCV's FFmpeg back-end cannot write MJPEG here";
  auto source = open_source({.path = path, .encoding = "source"});
  ASSERT_TRUE(source);
  const auto first = (*source)->next();
  ASSERT_TRUE(first && *first);
  ASSERT_TRUE((*source)->next());
  EXPECT_NEAR(cv::mean((*first)->image)[0], 0, 5);
}

TEST_F(VideoSourceTest, NamesAVideoWithoutFrames) {
  const std::string path = write_video(0);
  if (path.empty()) GTEST_SKIP() << "OpenCV's FFmpeg back-end cannot write MJPEG here";
  const auto source = open_source({.path = path});
  ASSERT_FALSE(source);
  EXPECT_THAT(source.error().text, HasSubstr("v.avi"));
}

TEST_F(VideoSourceTest, NamesAFileThatIsNoVideo) {
  const auto source = open_source({.path = folder_.write("v.mp4", "no video at all")});
  ASSERT_FALSE(source);
  EXPECT_EQ(source.error().code, SourceErrorCode::not_readable);
  EXPECT_THAT(source.error().text, HasSubstr("v.mp4"));
}

}  // namespace
}  // namespace ligament::nodes::image
