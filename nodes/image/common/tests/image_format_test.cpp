// SPDX-License-Identifier: Apache-2.0
#include "common/image_format.hpp"

#include <gtest/gtest.h>

#include <opencv2/imgproc.hpp>
#include <vector>

#include "tests/test_images.hpp"

namespace ligament::nodes::image {
namespace {

std::span<std::uint8_t> bytes_of(cv::Mat& image) {
  return {image.data, image.total() * image.elemSize()};
}

TEST(ImageOver, IsAHeaderOverTheCallersBytes) {
  std::vector<std::uint8_t> bytes(100 * 4, 0);
  const auto image = image_over({4, 30, 100, "rgb8", false}, bytes);
  ASSERT_TRUE(image);
  EXPECT_EQ(image->data, bytes.data());
  EXPECT_EQ(image->step, 100U);
  EXPECT_EQ(image->type(), CV_8UC3);
  EXPECT_EQ(image->size(), cv::Size(30, 4));
}

struct BadImage {
  ImageLayout layout;
  std::size_t bytes;
  ImageError error;
};

TEST(ImageOver, RefusesWhatWouldReadOutsideTheBytes) {
  const BadImage cases[] = {
      {{4, 30, 90, "bayer_rggb8", false}, 360, ImageError::unknown_encoding},
      {{4, 30, 60, "mono16", true}, 240, ImageError::big_endian},
      {{0, 30, 90, "rgb8", false}, 360, ImageError::empty},
      {{4, 0, 90, "rgb8", false}, 360, ImageError::empty},
      {{4, 30, 89, "rgb8", false}, 360, ImageError::step_too_small},
      {{4, 30, 90, "rgb8", false}, 359, ImageError::data_too_short},
      {{4, 0x80000001U, 2, "rgb16", false}, 360, ImageError::too_large},
      {{0xFFFFFFFFU, 30, 90, "rgb8", false}, 360, ImageError::too_large},
      {{4, 30, 0xFFFFFFFFU, "rgb8", false}, 360, ImageError::data_too_short},
  };
  for (const BadImage& bad : cases) {
    std::vector<std::uint8_t> bytes(bad.bytes);
    const auto image = image_over(bad.layout, bytes);
    ASSERT_FALSE(image) << to_string(bad.error);
    EXPECT_EQ(image.error(), bad.error) << to_string(image.error());
  }
}

TEST(ImageOver, TakesBigEndianWhereOneByteIsAChannel) {
  std::vector<std::uint8_t> bytes(360);
  EXPECT_TRUE(image_over({4, 30, 90, "rgb8", true}, bytes));
}

TEST(ImageInto, NeedsRoomForEveryPixel) {
  std::vector<std::uint8_t> bytes(360);
  EXPECT_TRUE(image_into({30, 4}, CV_8UC3, bytes));
  bytes.pop_back();
  EXPECT_FALSE(image_into({30, 4}, CV_8UC3, bytes));
  EXPECT_FALSE(image_into({0, 4}, CV_8UC3, bytes));
}

TEST(ConvertEncoding, AgreesWithOpenCvAndKeepsEqualEncodings) {
  const cv::Mat bgr = noise_image(16, 9, CV_8UC3);
  cv::Mat expected;
  cv::cvtColor(bgr, expected, cv::COLOR_BGR2RGB);
  const auto rgb = convert_encoding(bgr, "bgr8", "rgb8");
  ASSERT_TRUE(rgb);
  EXPECT_TRUE(identical(*rgb, expected));
  EXPECT_EQ(convert_encoding(bgr, "8UC3", "bgr8")->data, bgr.data);
  EXPECT_EQ(convert_encoding(bgr, "bgr8", "32FC1").error(), ImageError::conversion_unknown);
}

TEST(ConvertEncoding, GoesBetweenAllEightBitForms) {
  const cv::Mat grey = noise_image(16, 9, CV_8UC1);
  for (const char* to : {"mono8", "rgb8", "bgr8", "rgba8", "bgra8"}) {
    const auto there = convert_encoding(grey, "mono8", to);
    ASSERT_TRUE(there) << to;
    const auto back = convert_encoding(*there, to, "mono8");
    ASSERT_TRUE(back) << to;
    EXPECT_TRUE(identical(*back, grey)) << to;
  }
}

TEST(ConvertEncoding, ScalesSixteenBitsToEight) {
  const cv::Mat image = (cv::Mat_<std::uint16_t>(1, 3) << 0, 257 * 128, 65535);
  const auto grey = convert_encoding(image, "mono16", "mono8");
  ASSERT_TRUE(grey);
  EXPECT_TRUE(identical(*grey, (cv::Mat_<std::uint8_t>(1, 3) << 0, 128, 255)));
}

TEST(ImageInto, WritesWhereTheBytesAre) {
  cv::Mat room(4, 30, CV_8UC3, cv::Scalar::all(0));
  auto image = image_into({30, 4}, CV_8UC3, bytes_of(room));
  ASSERT_TRUE(image);
  image->setTo(cv::Scalar::all(5));
  EXPECT_EQ(room.at<cv::Vec3b>(3, 29), cv::Vec3b(5, 5, 5));
}

}  // namespace
}  // namespace ligament::nodes::image
