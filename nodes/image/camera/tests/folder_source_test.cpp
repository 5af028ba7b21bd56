// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <opencv2/imgcodecs.hpp>

#include "camera/sources.hpp"
#include "common/image_format.hpp"
#include "tests/temporary_folder.hpp"
#include "tests/test_images.hpp"

namespace ligament::nodes::image {
namespace {

using testing::HasSubstr;

class FolderSourceTest : public testing::Test {
 protected:
  void put(const std::string& name, const cv::Mat& image) {
    ASSERT_TRUE(cv::imwrite((folder_.path() / name).string(), image));
  }
  SourceOptions options(const std::string& encoding = "source") {
    return {.path = folder_.path().string(), .encoding = encoding};
  }
  TemporaryFolder folder_;
};

TEST_F(FolderSourceTest, GivesImagesInTheOrderOfTheirNamesAgainAndAgain) {
  for (int i = 0; i < 3; ++i) {
    put("frame" + std::to_string(2 - i) + ".png",
        noise_image(8, 6, CV_8UC3, static_cast<std::uint64_t>(3 - i)));
  }
  folder_.write("notes.txt", "not an image");
  auto source = open_source(options());
  ASSERT_TRUE(source) << source.error().text;
  for (int pass = 0; pass < 2; ++pass) {
    for (std::uint64_t i = 0; i < 3; ++i) {
      const auto frame = (*source)->next();
      ASSERT_TRUE(frame && *frame);
      EXPECT_TRUE(identical((*frame)->image, noise_image(8, 6, CV_8UC3, i + 1)));
      EXPECT_EQ((*frame)->encoding, "bgr8");
    }
    EXPECT_FALSE(*(*source)->next());
    ASSERT_TRUE((*source)->rewind());
  }
}

TEST_F(FolderSourceTest, ConvertsToTheWantedEncoding) {
  put("a.png", noise_image(8, 6, CV_8UC3));
  for (const char* encoding : {"rgb8", "bgr8", "mono8", "rgba8", "bgra8"}) {
    auto source = open_source(options(encoding));
    ASSERT_TRUE(source);
    const auto frame = (*source)->next();
    ASSERT_TRUE(frame && *frame);
    EXPECT_EQ((*frame)->encoding, encoding);
    const auto expected = convert_encoding(noise_image(8, 6, CV_8UC3), "bgr8", encoding);
    EXPECT_TRUE(identical((*frame)->image, *expected)) << encoding;
  }
}

TEST_F(FolderSourceTest, KeepsSixteenBitImages) {
  put("a.png", noise_image(8, 6, CV_16UC1));
  auto source = open_source(options());
  const auto frame = (*source)->next();
  ASSERT_TRUE(frame && *frame);
  EXPECT_EQ((*frame)->encoding, "mono16");
  EXPECT_TRUE(identical((*frame)->image, noise_image(8, 6, CV_16UC1)));
}

TEST_F(FolderSourceTest, APatternChoosesFiles) {
  put("left1.png", noise_image(8, 6, CV_8UC1));
  put("right1.png", noise_image(9, 6, CV_8UC1));
  auto source = open_source({.path = (folder_.path() / "ri*.png").string(), .encoding = "source"});
  ASSERT_TRUE(source) << source.error().text;
  const auto frame = (*source)->next();
  ASSERT_TRUE(frame && *frame);
  EXPECT_EQ((*frame)->image.cols, 9);
  EXPECT_FALSE(*(*source)->next());
}

TEST_F(FolderSourceTest, NamesAnEmptyFolder) {
  const auto source = open_source(options());
  ASSERT_FALSE(source);
  EXPECT_EQ(source.error().code, SourceErrorCode::no_frames);
  EXPECT_THAT(source.error().text, HasSubstr(folder_.path().string()));
}

TEST_F(FolderSourceTest, NamesAPatternThatMatchesNothing) {
  put("a.png", noise_image(8, 6, CV_8UC1));
  const auto source = open_source({.path = (folder_.path() / "z*.png").string()});
  ASSERT_FALSE(source);
  EXPECT_THAT(source.error().text, HasSubstr("z*.png"));
}

TEST_F(FolderSourceTest, NamesAPathThatIsNotThere) {
  const auto source = open_source({.path = (folder_.path() / "nothing").string()});
  ASSERT_FALSE(source);
  EXPECT_EQ(source.error().code, SourceErrorCode::not_found);
  EXPECT_THAT(source.error().text, HasSubstr("nothing"));
}

TEST_F(FolderSourceTest, NamesTheImageThatCannotBeDecoded) {
  folder_.write("broken.jpg", "these are not the bytes of a photograph");
  auto source = open_source(options());
  ASSERT_TRUE(source);
  const auto frame = (*source)->next();
  ASSERT_FALSE(frame);
  EXPECT_EQ(frame.error().code, SourceErrorCode::not_readable);
  EXPECT_THAT(frame.error().text, HasSubstr("broken.jpg"));
}

TEST_F(FolderSourceTest, RefusesAnUnknownEncoding) {
  put("a.png", noise_image(8, 6, CV_8UC1));
  const auto source = open_source(options("yuv422"));
  ASSERT_FALSE(source);
  EXPECT_EQ(source.error().code, SourceErrorCode::encoding);
  EXPECT_THAT(source.error().text, HasSubstr("yuv422"));
}

TEST_F(FolderSourceTest, NamesBothSizesOfAWrongCalibration) {
  put("a.png", noise_image(8, 6, CV_8UC1));
  auto source = open_source(options());
  ASSERT_TRUE(source);
  SourceOptions with = options();
  with.calibration =
      folder_.write("c.yaml",
                    "image_width: 640\nimage_height: 480\n"
                    "camera_matrix: {rows: 3, cols: 3, data: [1, 0, 1, 0, 1, 1, 0, 0, 1]}\n"
                    "distortion_coefficients: {rows: 1, cols: 5, data: [0, 0, 0, 0, 0]}\n");
  const auto calibration = calibration_for(with, **source, {8, 6});
  ASSERT_FALSE(calibration);
  EXPECT_EQ(calibration.error().code, SourceErrorCode::size_mismatch);
  EXPECT_THAT(calibration.error().text, HasSubstr("640x480"));
  EXPECT_THAT(calibration.error().text, HasSubstr("8x6"));
  EXPECT_TRUE(calibration_for(with, **source, {640, 480}));
}

TEST_F(FolderSourceTest, WithoutCalibrationTheCameraIsUncalibrated) {
  put("a.png", noise_image(8, 6, CV_8UC1));
  auto source = open_source(options());
  const auto calibration = calibration_for(options(), **source, {8, 6});
  ASSERT_TRUE(calibration);
  EXPECT_FALSE(is_calibrated(*calibration));
  EXPECT_EQ(calibration->width, 8U);
}

TEST(SamplePhotographs, AreTheDefaultSource) {
  if (const auto sample = sample_photographs(); !sample) GTEST_SKIP() << sample.error().text;
  const SourceOptions options{.encoding = "rgb8"};
  auto source = open_source(options);
  ASSERT_TRUE(source) << source.error().text;
  int count = 0;
  while (true) {
    const auto frame = (*source)->next();
    ASSERT_TRUE(frame) << frame.error().text;
    if (!*frame) break;
    EXPECT_EQ((*frame)->image.size(), cv::Size(640, 480));
    ++count;
  }
  EXPECT_EQ(count, 13);
  const auto calibration = calibration_for(options, **source, {640, 480});
  ASSERT_TRUE(calibration) << calibration.error().text;
  EXPECT_TRUE(has_distortion(*calibration));
}

TEST(MatchesPattern, KnowsStarAndQuestionMark) {
  EXPECT_TRUE(matches_pattern("left01.jpg", "left??.jpg"));
  EXPECT_TRUE(matches_pattern("left01.jpg", "*.jpg"));
  EXPECT_TRUE(matches_pattern("left01.jpg", "l*0*"));
  EXPECT_FALSE(matches_pattern("left.jpg", "left??.jpg"));
  EXPECT_FALSE(matches_pattern("left01.jpg.bak", "*.jpg"));
}

}  // namespace
}  // namespace ligament::nodes::image
