// SPDX-License-Identifier: Apache-2.0
// Recordings are written by the independent `rosbags` package, read by ours.
#include <gmock/gmock.h>

#include <cstdlib>
#include <opencv2/imgcodecs.hpp>

#include "camera/sources.hpp"
#include "tests/temporary_folder.hpp"
#include "tests/test_images.hpp"

namespace ligament::nodes::image {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// All recordings, written once for this program.
class BagSourceTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TemporaryFolder();
    cv::imwrite((folder_->path() / "photograph.png").string(), noise_image(20, 10, CV_8UC3));
    const std::string command = std::string(LIGAMENT_TEST_PYTHON) + " " + LIGAMENT_TEST_RECORDINGS +
                                " " + folder_->path().string();
    written_ = std::system(command.c_str()) == 0;  // NOLINT: a test's own command
  }
  static void TearDownTestSuite() { delete folder_; }
  void SetUp() override {
    ASSERT_TRUE(written_) << "make_recordings.py failed; LIGAMENT_PYTHON needs numpy and rosbags";
  }
  static std::string bag(const char* kind) { return (folder_->path() / kind).string(); }
  static fs::path file_of(const char* kind) {
    for (const auto& entry : fs::directory_iterator(bag(kind))) {
      if (entry.path().extension() != ".yaml") return entry.path();
    }
    return {};
  }
  static cv::Mat recorded(int index) {
    cv::Mat image(12, 16, CV_8UC3);
    for (int i = 0; i < 12 * 16 * 3; ++i) {
      image.data[i] = static_cast<std::uint8_t>((i + index) % 251);
    }
    return image;
  }
  static void expect_recorded(FrameSource& source) {
    for (int i = 0; i < 3; ++i) {
      const auto frame = source.next();
      ASSERT_TRUE(frame) << frame.error().text;
      ASSERT_TRUE(*frame);
      EXPECT_TRUE(identical((*frame)->image, recorded(i)));
      EXPECT_EQ((*frame)->stamp_ns, 5'000'000'000 + i * 100'000'000);
      EXPECT_EQ((*frame)->frame_id, "lens");
      EXPECT_EQ((*frame)->encoding, "rgb8");
    }
    EXPECT_FALSE(*source.next());
  }

 private:
  static inline TemporaryFolder* folder_ = nullptr;
  static inline bool written_ = false;
};

TEST_F(BagSourceTest, ReplaysEveryKindOfRecordingTwice) {
  for (const char* kind : {"sqlite", "sqlite_message", "mcap", "mcap_zstd"}) {
    SCOPED_TRACE(kind);
    auto source = open_source({.path = bag(kind), .encoding = "source"});
    ASSERT_TRUE(source) << source.error().text;
    expect_recorded(**source);
    ASSERT_TRUE((*source)->rewind());
    expect_recorded(**source);
  }
}

TEST_F(BagSourceTest, ReplaysASingleFile) {
  for (const char* kind : {"sqlite", "mcap", "mcap_zstd"}) {
    SCOPED_TRACE(kind);
    auto source = open_source({.path = file_of(kind).string(), .encoding = "rgb8"});
    ASSERT_TRUE(source) << source.error().text;
    expect_recorded(**source);
  }
}

TEST_F(BagSourceTest, BringsItsCalibrationAlong) {
  const SourceOptions options{.path = bag("mcap"), .encoding = "rgb8"};
  auto source = open_source(options);
  ASSERT_TRUE(source);
  const auto calibration = calibration_for(options, **source, {16, 12});
  ASSERT_TRUE(calibration) << calibration.error().text;
  EXPECT_THAT(calibration->d, testing::ElementsAre(-0.25, 0.125, 0, 0, 0.5));
  EXPECT_EQ(calibration->k[4], 15.0);
  EXPECT_EQ(calibration->p[5], 15.0);
  EXPECT_EQ(calibration_for(options, **source, {17, 12}).error().code,
            SourceErrorCode::size_mismatch);
}

TEST_F(BagSourceTest, DecodesCompressedImagesOfTheChosenTopic) {
  auto source = open_source(
      {.path = bag("mcap"), .encoding = "bgr8", .image_topic = "/other/image/compressed"});
  ASSERT_TRUE(source) << source.error().text;
  const auto frame = (*source)->next();
  ASSERT_TRUE(frame && *frame);
  EXPECT_TRUE(identical((*frame)->image, noise_image(20, 10, CV_8UC3)));
}

TEST_F(BagSourceTest, NamesAnAbsentTopicAndThoseThatAreThere) {
  for (const char* kind : {"sqlite", "mcap"}) {
    const auto source = open_source({.path = bag(kind), .image_topic = "/camera/picture"});
    ASSERT_FALSE(source);
    EXPECT_EQ(source.error().code, SourceErrorCode::topic_absent);
    EXPECT_THAT(source.error().text, HasSubstr("/camera/picture"));
    EXPECT_THAT(source.error().text, HasSubstr("/camera/image_raw (sensor_msgs/msg/Image)"));
  }
}

TEST_F(BagSourceTest, ATopicOfAnotherTypeIsNoImageTopic) {
  const auto source = open_source({.path = bag("mcap"), .image_topic = "/chatter"});
  ASSERT_FALSE(source);
  EXPECT_EQ(source.error().code, SourceErrorCode::topic_absent);
}

TEST_F(BagSourceTest, NamesAnAbsentCameraInfoTopic) {
  const auto source = open_source({.path = bag("sqlite"), .camera_info_topic = "/lens"});
  ASSERT_FALSE(source);
  EXPECT_EQ(source.error().code, SourceErrorCode::topic_absent);
  EXPECT_THAT(source.error().text, HasSubstr("/camera/camera_info"));
}

TEST_F(BagSourceTest, SaysHowToDecompressAFileOfItsOwnCompression) {
  const auto source = open_source({.path = bag("sqlite_file")});
  ASSERT_FALSE(source);
  EXPECT_EQ(source.error().code, SourceErrorCode::unsupported);
  EXPECT_THAT(source.error().text, HasSubstr("zstd -d"));
}

/// Reads all frames; the error's text, or empty if the recording ended as if it were whole.
std::string read_to_the_end(const fs::path& path) {
  auto source = open_source({.path = path.string(), .encoding = "rgb8"});
  if (!source) return source.error().text;
  while (true) {
    const auto frame = (*source)->next();
    if (!frame) return frame.error().text;
    if (!*frame) return {};
  }
}

TEST_F(BagSourceTest, ACutRecordingNeverEndsAsIfItWereWhole) {
  for (const char* kind : {"sqlite", "mcap", "mcap_zstd"}) {
    const fs::path original = file_of(kind);
    const TemporaryFolder folder;
    const fs::path copy = folder.path() / original.filename();
    for (const auto divisor : {16U, 4U, 2U}) {
      fs::copy_file(original, copy, fs::copy_options::overwrite_existing);
      fs::resize_file(copy, fs::file_size(original) / divisor);
      EXPECT_THAT(read_to_the_end(copy), HasSubstr(copy.string())) << kind << " / " << divisor;
    }
  }
}

TEST_F(BagSourceTest, NamesAMissingFileOfTheMetadata) {
  const TemporaryFolder folder;
  fs::copy_file(fs::path(bag("mcap")) / "metadata.yaml", folder.path() / "metadata.yaml");
  const auto source = open_source({.path = folder.path().string()});
  ASSERT_FALSE(source);
  EXPECT_EQ(source.error().code, SourceErrorCode::not_found);
  EXPECT_THAT(source.error().text, HasSubstr(".mcap"));
}

TEST_F(BagSourceTest, NamesMetadataThatIsNone) {
  const TemporaryFolder folder;
  folder.write("metadata.yaml", "[1, 2");
  const auto source = open_source({.path = folder.path().string()});
  ASSERT_FALSE(source);
  EXPECT_THAT(source.error().text, HasSubstr("metadata.yaml"));
}

}  // namespace
}  // namespace ligament::nodes::image
