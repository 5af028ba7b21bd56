// SPDX-License-Identifier: Apache-2.0
// Golden tests: bit-identical with OpenCV called directly, as image_geometry calls it.
#include "rectify/rectify_map.hpp"

#include <gtest/gtest.h>

#include <opencv2/calib3d.hpp>
#include <opencv2/imgproc.hpp>

#include "tests/test_images.hpp"

namespace ligament::nodes::image {
namespace {

cv::Mat golden(const cv::Mat& raw, const Calibration& c, int interpolation) {
  cv::Mat xy;
  cv::Mat fraction;
  const cv::Mat k(3, 3, CV_64F, const_cast<double*>(c.k.data()));
  const cv::Mat r(3, 3, CV_64F, const_cast<double*>(c.r.data()));
  const cv::Mat p(3, 4, CV_64F, const_cast<double*>(c.p.data()));
  if (c.distortion_model == "equidistant") {
    cv::fisheye::initUndistortRectifyMap(k, c.d, r, p, raw.size(), CV_16SC2, xy, fraction);
  } else {
    cv::initUndistortRectifyMap(k, c.d, r, p, raw.size(), CV_16SC2, xy, fraction);
  }
  cv::Mat out;
  cv::remap(raw, out, xy, fraction, interpolation);
  return out;
}

void expect_golden(const cv::Mat& raw, const Calibration& c, int interpolation) {
  const auto map = RectifyMap::create(c);
  ASSERT_TRUE(map) << to_string(map.error());
  cv::Mat out(raw.size(), raw.type(), cv::Scalar::all(77));
  const auto* memory = out.data;
  ASSERT_TRUE(map->remap(raw, out, interpolation));
  EXPECT_EQ(out.data, memory) << "the caller's memory must be written, not replaced";
  EXPECT_TRUE(identical(out, golden(raw, c, interpolation)));
  EXPECT_FALSE(identical(out, raw)) << "the lens of this test bends nothing";
}

TEST(RectifyMap, IsBitIdenticalWithOpenCvForEachEncoding) {
  for (const int type : {CV_8UC1, CV_8UC3, CV_8UC4, CV_16UC1, CV_16UC3, CV_32FC1}) {
    SCOPED_TRACE(type);
    expect_golden(noise_image(160, 120, type), test_calibration(160, 120), cv::INTER_LINEAR);
  }
}

TEST(RectifyMap, IsBitIdenticalWithOpenCvForEachInterpolation) {
  for (const int code : {0, 1, 2, 4}) {
    SCOPED_TRACE(code);
    expect_golden(noise_image(160, 120, CV_8UC3), test_calibration(160, 120), code);
  }
}

TEST(RectifyMap, IsBitIdenticalWithOpenCvForEachModel) {
  Calibration c = test_calibration(160, 120);
  for (const std::size_t count : {4U, 5U, 8U, 12U, 14U}) {
    SCOPED_TRACE(count);
    c.distortion_model = count > 5 ? "rational_polynomial" : "plumb_bob";
    c.d.assign(count, 0.01);
    expect_golden(noise_image(160, 120, CV_8UC3), c, cv::INTER_LINEAR);
  }
  c.distortion_model = "equidistant";
  c.d = {0.1, -0.05, 0.01, 0.002};
  expect_golden(noise_image(160, 120, CV_8UC3), c, cv::INTER_LINEAR);
}

TEST(RectifyMap, UsesRotationAndProjection) {
  Calibration c = test_calibration(160, 120);
  c.r = {0.9998, -0.02, 0, 0.02, 0.9998, 0, 0, 0, 1};
  c.p[0] *= 0.8;
  c.p[5] *= 0.9;
  expect_golden(noise_image(160, 120, CV_8UC3), c, cv::INTER_LINEAR);
}

TEST(RectifyMap, ScalesTheCalibrationOfABinnedImage) {
  Calibration c = test_calibration(320, 240);
  c.binning_x = 2;
  c.binning_y = 2;
  Calibration half = c;
  half.width = 160;
  half.height = 120;
  for (const std::size_t i : {0U, 2U, 4U, 5U}) half.k[i] /= 2;
  for (const std::size_t i : {0U, 2U, 3U, 5U, 6U, 7U}) half.p[i] /= 2;
  half.binning_x = half.binning_y = 0;
  const cv::Mat raw = noise_image(160, 120, CV_8UC3);
  const auto map = RectifyMap::create(c);
  ASSERT_TRUE(map);
  cv::Mat out(raw.size(), raw.type());
  ASSERT_TRUE(map->remap(raw, out, cv::INTER_LINEAR));
  EXPECT_TRUE(identical(out, golden(raw, half, cv::INTER_LINEAR)));
}

TEST(RectifyMap, RectifiesARegionLikeThatPartOfTheFullImage) {
  Calibration c = test_calibration(160, 120);
  const cv::Mat full = noise_image(160, 120, CV_8UC1);
  const cv::Rect region(20, 10, 100, 80);
  c.roi_x = 20;
  c.roi_y = 10;
  c.roi_width = 100;
  c.roi_height = 80;
  const auto map = RectifyMap::create(c);
  ASSERT_TRUE(map);
  const cv::Mat raw = full(region).clone();
  cv::Mat out(raw.size(), raw.type());
  ASSERT_TRUE(map->remap(raw, out, cv::INTER_NEAREST));
  const cv::Mat expected = golden(full, test_calibration(160, 120), cv::INTER_NEAREST)(region);
  // In the middle every source pixel lies inside the region.
  const cv::Rect middle(30, 25, 40, 30);
  EXPECT_TRUE(identical(out(middle), expected(middle)));
}

TEST(RectifyMap, ReadsRowsWithPaddingInPlace) {
  cv::Mat wide = noise_image(200, 120, CV_8UC3);
  const cv::Mat raw = wide(cv::Rect(0, 0, 160, 120));
  expect_golden(raw, test_calibration(160, 120), cv::INTER_LINEAR);
}

TEST(RectifyMap, RefusesBadCalibrationsWithTheirOwnError) {
  const auto error_of = [](auto&& change) {
    Calibration c = test_calibration(160, 120);
    change(c);
    const auto map = RectifyMap::create(c);
    return map ? "no error" : to_string(map.error());
  };
  EXPECT_STREQ(error_of([](Calibration& c) { c.k[0] = 0; }), to_string(RectifyError::uncalibrated));
  EXPECT_STREQ(error_of([](Calibration& c) { c = Calibration{}; }),
               to_string(RectifyError::uncalibrated));
  EXPECT_STREQ(error_of([](Calibration& c) { c.distortion_model = "barrel"; }),
               to_string(RectifyError::unknown_model));
  EXPECT_STREQ(error_of([](Calibration& c) { c.d.resize(7, 0.1); }),
               to_string(RectifyError::coefficient_count));
  EXPECT_STREQ(error_of([](Calibration& c) { c.width = 0; }), to_string(RectifyError::bad_size));
  EXPECT_STREQ(error_of([](Calibration& c) { c.height = 70000; }),
               to_string(RectifyError::bad_size));
  EXPECT_STREQ(error_of([](Calibration& c) { c.binning_x = 999; }),
               to_string(RectifyError::bad_size));
  EXPECT_STREQ(error_of([](Calibration& c) { c.roi_x = 150, c.roi_width = 20, c.roi_height = 9; }),
               to_string(RectifyError::bad_region));
  EXPECT_STREQ(error_of([](Calibration& c) { c.roi_x = c.roi_width = 0xFFFFFFFFU; }),
               to_string(RectifyError::bad_region));
}

TEST(RectifyMap, RefusesAnImageOfAnotherSize) {
  const auto map = RectifyMap::create(test_calibration(160, 120));
  ASSERT_TRUE(map);
  const cv::Mat raw = noise_image(161, 120, CV_8UC3);
  cv::Mat out(raw.size(), raw.type());
  EXPECT_EQ(map->remap(raw, out, 1).error(), RectifyError::size_mismatch);
  cv::Mat small(cv::Size(160, 120), CV_8UC1);
  EXPECT_EQ(map->remap(noise_image(160, 120, CV_8UC3), small, 1).error(),
            RectifyError::size_mismatch);
  cv::Mat right(cv::Size(160, 120), CV_8UC3);
  EXPECT_EQ(map->remap(noise_image(160, 120, CV_8UC3), right, 3).error(),
            RectifyError::interpolation);
}

}  // namespace
}  // namespace ligament::nodes::image
