// SPDX-License-Identifier: Apache-2.0
#include "common/record.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/temporary_folder.hpp"
#include "tests/test_images.hpp"

namespace ligament::nodes::image {
namespace {

std::string content_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(ImageHash, IgnoresPaddingButNotContentSizeOrEncoding) {
  const cv::Mat image = noise_image(31, 17, CV_8UC3);
  cv::Mat wide(17, 40, CV_8UC3, cv::Scalar::all(9));
  cv::Mat padded = wide(cv::Rect(0, 0, 31, 17));
  image.copyTo(padded);
  const auto hash = image_hash(image, "rgb8");
  EXPECT_EQ(image_hash(padded, "rgb8"), hash);
  EXPECT_NE(image_hash(image, "bgr8"), hash);
  EXPECT_NE(image_hash(image.reshape(3, 31), "rgb8"), hash);
  padded.at<cv::Vec3b>(16, 30)[2] ^= 1;
  EXPECT_NE(image_hash(padded, "rgb8"), hash);
}

TEST(RecordFile, WritesOneLinePerFrameAndCreatesTheFolder) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "outputs" / "sink.jsonl";
  {
    RecordFile record;
    ASSERT_TRUE(record.open(path));
    record.add({7, 1'233'333'331, 320, 240, "rgb8", 0x9f});
  }
  EXPECT_EQ(content_of(path),
            "{\"index\":7,\"stamp_ns\":1233333331,\"width\":320,\"height\":240,"
            "\"encoding\":\"rgb8\",\"hash\":\"000000000000009f\"}\n");
}

TEST(RecordFile, KeepsAllLinesWhenItsBufferFills) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "r.jsonl";
  RecordFile record;
  ASSERT_TRUE(record.open(path));
  for (std::uint64_t i = 0; i < 5000; ++i) record.add({i, 0, 1, 1, "mono8", i});
  EXPECT_TRUE(record.flush());
  const std::string text = content_of(path);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 5000);
  EXPECT_NE(text.find("{\"index\":4999,"), std::string::npos);
}

TEST(RecordFile, SaysThatItCannotBeOpened) {
  RecordFile record;
  EXPECT_FALSE(record.open("/proc/no/such/folder/r.jsonl"));
}

TEST(RecordFile, TellsThatTheDiskIsFull) {
  RecordFile record;
  ASSERT_TRUE(record.open("/dev/full"));
  record.add({0, 0, 1, 1, "mono8", 7});
  EXPECT_FALSE(record.flush());
}

}  // namespace
}  // namespace ligament::nodes::image
