// SPDX-License-Identifier: Apache-2.0
/// \file Images and a calibration for tests: small, textured, the same each time.
#pragma once

#include <opencv2/core.hpp>

#include "common/calibration.hpp"

namespace ligament::nodes::image {

inline cv::Mat noise_image(int width, int height, int cv_type, std::uint64_t seed = 1) {
  cv::Mat image(height, width, cv_type);
  cv::RNG random(seed);
  if (CV_MAT_DEPTH(cv_type) == CV_32F) {
    random.fill(image, cv::RNG::UNIFORM, 0.0, 1.0);
  } else {
    random.fill(image, cv::RNG::UNIFORM, 0, CV_MAT_DEPTH(cv_type) == CV_8U ? 256 : 32768);
  }
  return image;
}

/// A lens with visible distortion, scaled to the size.
inline Calibration test_calibration(std::uint32_t width, std::uint32_t height) {
  Calibration c;
  c.width = width;
  c.height = height;
  c.distortion_model = "plumb_bob";
  c.d = {-0.266, -0.0386, 0.0018, -0.00028, 0.238};
  const double f = 0.84 * width;
  c.k = {f, 0, width / 2.0 + 3, 0, f, height / 2.0 - 2, 0, 0, 1};
  c.r = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  c.p = {f, 0, width / 2.0 + 3, 0, 0, f, height / 2.0 - 2, 0, 0, 0, 1, 0};
  return c;
}

inline bool identical(const cv::Mat& a, const cv::Mat& b) {
  if (a.size() != b.size() || a.type() != b.type()) return false;
  for (int row = 0; row < a.rows; ++row) {
    if (std::memcmp(a.ptr(row), b.ptr(row), static_cast<std::size_t>(a.cols) * a.elemSize()) != 0) {
      return false;
    }
  }
  return true;
}

}  // namespace ligament::nodes::image
