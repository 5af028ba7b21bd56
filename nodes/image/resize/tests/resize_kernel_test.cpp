// SPDX-License-Identifier: Apache-2.0
// Golden tests: bit-identical with cv::resize called as image_pipeline calls it.
#include "resize/resize_kernel.hpp"

#include <gtest/gtest.h>

#include <opencv2/imgproc.hpp>

#include "tests/test_images.hpp"

namespace ligament::nodes::image {
namespace {

cv::Mat golden(const cv::Mat& image, const ResizeRequest& request) {
  cv::Mat out;
  if (request.use_scale) {
    cv::resize(image, out, cv::Size(0, 0), request.scale_width, request.scale_height,
               request.interpolation);
  } else {
    const int height = request.height == -1 ? image.rows : static_cast<int>(request.height);
    const int width = request.width == -1 ? image.cols : static_cast<int>(request.width);
    cv::resize(image, out, cv::Size(width, height), 0, 0, request.interpolation);
  }
  return out;
}

void expect_golden(const cv::Mat& image, const ResizeRequest& request) {
  const auto size = resized_size(request, image.size());
  ASSERT_TRUE(size) << to_string(size.error());
  cv::Mat out(*size, image.type(), cv::Scalar::all(77));
  const auto* memory = out.data;
  const auto done = resize_into(image, out, request);
  ASSERT_TRUE(done) << to_string(done.error());
  EXPECT_EQ(out.data, memory) << "the caller's memory must be written, not replaced";
  EXPECT_TRUE(identical(out, golden(image, request)));
}

TEST(Resize, IsBitIdenticalWithOpenCvForEachEncoding) {
  for (const int type : {CV_8UC1, CV_8UC3, CV_8UC4, CV_16UC1, CV_16UC3, CV_32FC1}) {
    SCOPED_TRACE(type);
    expect_golden(noise_image(160, 120, type), {.use_scale = false, .height = 60, .width = 80});
  }
}

TEST(Resize, IsBitIdenticalWithOpenCvForEachInterpolation) {
  for (const int code : {0, 1, 2, 3, 4}) {
    SCOPED_TRACE(code);
    expect_golden(noise_image(160, 120, CV_8UC3),
                  {.scale_height = 0.5, .scale_width = 0.5, .interpolation = code});
    expect_golden(noise_image(160, 120, CV_8UC3),
                  {.scale_height = 1.7, .scale_width = 2.1, .interpolation = code});
  }
}

TEST(Resize, RoundsOddSizesAsOpenCvDoes) {
  for (const double scale : {0.1, 0.333, 0.5, 0.51, 0.75, 0.999}) {
    for (const int width : {33, 34, 35, 37, 61}) {
      SCOPED_TRACE(testing::Message() << scale << " of " << width);
      expect_golden(noise_image(width, 29, CV_8UC3), {.scale_height = scale, .scale_width = scale});
    }
  }
}

TEST(Resize, KeepsTheSideThatIsNotGiven) {
  const cv::Mat image = noise_image(160, 120, CV_8UC3);
  EXPECT_EQ(*resized_size({.use_scale = false, .height = 60}, image.size()), cv::Size(160, 60));
  EXPECT_EQ(*resized_size({.use_scale = false, .width = 80}, image.size()), cv::Size(80, 120));
  EXPECT_EQ(*resized_size({}, image.size()), image.size());
  expect_golden(image, {.use_scale = false, .width = 80});
}

TEST(Resize, RefusesSizesThatDoNotExist) {
  const cv::Size size(160, 120);
  EXPECT_EQ(resized_size({.scale_height = 0.001}, size).error(), ResizeError::bad_size);
  EXPECT_EQ(resized_size({.scale_width = 1e9}, size).error(), ResizeError::bad_size);
  EXPECT_EQ(resized_size({.scale_width = -1}, size).error(), ResizeError::bad_size);
  EXPECT_EQ(resized_size({.scale_width = std::nan("")}, size).error(), ResizeError::bad_size);
  EXPECT_EQ(resized_size({.use_scale = false, .height = 0}, size).error(), ResizeError::bad_size);
  EXPECT_EQ(resized_size({.use_scale = false, .width = -7}, size).error(), ResizeError::bad_size);
}

TEST(Resize, RefusesAWrongDestinationAndInterpolation) {
  const cv::Mat image = noise_image(160, 120, CV_8UC3);
  cv::Mat out(60, 80, CV_8UC1);
  const ResizeRequest request{.use_scale = false, .height = 60, .width = 80};
  EXPECT_EQ(resize_into(image, out, request).error(), ResizeError::wrong_destination);
  cv::Mat right(60, 80, CV_8UC3);
  EXPECT_EQ(
      resize_into(image, right, {.use_scale = false, .height = 60, .width = 80, .interpolation = 7})
          .error(),
      ResizeError::interpolation);
}

TEST(ResizedCalibration, ScalesWhatIsMeasuredInPixels) {
  Calibration c = test_calibration(640, 480);
  c.p[3] = -40;
  c.p[7] = -10;
  c.roi_x = 10;
  c.roi_y = 20;
  c.roi_width = 100;
  c.roi_height = 200;
  const auto out = resized_calibration(c, {.use_scale = false, .height = 120, .width = 320});
  ASSERT_TRUE(out);
  EXPECT_EQ(out->width, 320U);
  EXPECT_EQ(out->height, 120U);
  EXPECT_DOUBLE_EQ(out->k[0], c.k[0] / 2);
  EXPECT_DOUBLE_EQ(out->k[2], c.k[2] / 2);
  EXPECT_DOUBLE_EQ(out->k[4], c.k[4] / 4);
  EXPECT_DOUBLE_EQ(out->k[5], c.k[5] / 4);
  EXPECT_DOUBLE_EQ(out->p[3], -20);
  EXPECT_DOUBLE_EQ(out->p[7], -2.5);
  EXPECT_DOUBLE_EQ(out->p[10], 1);
  EXPECT_EQ(out->roi_x, 5U);
  EXPECT_EQ(out->roi_y, 5U);
  EXPECT_EQ(out->roi_width, 50U);
  EXPECT_EQ(out->roi_height, 50U);
  EXPECT_EQ(out->d, c.d);
}

}  // namespace
}  // namespace ligament::nodes::image
