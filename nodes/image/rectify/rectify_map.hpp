// SPDX-License-Identifier: Apache-2.0
/// \file The rectify kernel: a lookup table made once per calibration, and cv::remap through it.
///
///   auto map = RectifyMap::create(calibration);
///   if (map) map->remap(raw, rectified, cv::INTER_LINEAR);
///
/// Same arithmetic as image_geometry's PinholeCameraModel, so that results are bit-identical with
/// image_pipeline's RectifyNode: fixed-point tables (CV_16SC2), binning and region of interest.
#pragma once

#include <cstdint>
#include <ligament/expected.hpp>
#include <opencv2/core/mat.hpp>

#include "common/calibration.hpp"

namespace ligament::nodes::image {

/// Why a calibration or an image cannot be rectified.
enum class RectifyError : std::uint8_t {
  uncalibrated,       ///< K[0] is 0
  unknown_model,      ///< a distortion model other than plumb_bob, rational_polynomial, equidistant
  coefficient_count,  ///< D has a length that the model does not know
  bad_size,           ///< the calibration's image size is 0 or not addressable
  bad_region,         ///< the region of interest does not lie inside the image
  size_mismatch,      ///< the image is not of the calibration's size
  interpolation,      ///< not one of OpenCV's codes 0, 1, 2, 4
};

/// One sentence: what is wrong, and what to do.
[[nodiscard]] const char* to_string(RectifyError error) noexcept;

class RectifyMap {
 public:
  /// Compute the table: about 5 ms for 640x480. Not for each image.
  [[nodiscard]] static expected<RectifyMap, RectifyError> create(const Calibration& calibration);

  /// Size of images that go in and come out.
  [[nodiscard]] cv::Size size() const { return xy_.size(); }

  /// Rectify `raw` into `rectified`, which must have the size and type of `raw` already: its memory
  /// is written, never replaced. Pixels from outside the image become 0.
  [[nodiscard]] expected<void, RectifyError> remap(const cv::Mat& raw, cv::Mat& rectified,
                                                   int interpolation) const;

 private:
  RectifyMap(cv::Mat xy, cv::Mat fraction) : xy_(std::move(xy)), fraction_(std::move(fraction)) {}

  cv::Mat xy_;        ///< integer source coordinates, CV_16SC2
  cv::Mat fraction_;  ///< index of the interpolation weights, CV_16UC1
};

}  // namespace ligament::nodes::image
