// SPDX-License-Identifier: Apache-2.0
/// \file The resize kernel: image_pipeline's rules for the new size, cv::resize, and the
/// calibration that belongs to the smaller image.
///
///   const ResizeRequest request{.use_scale = false, .height = 240, .width = 320};
///   auto size = resized_size(request, {640, 480});
///   if (size) auto done = resize_into(image, resized, request);
#pragma once

#include <cstdint>
#include <ligament/expected.hpp>
#include <opencv2/core/mat.hpp>

#include "common/calibration.hpp"

namespace ligament::nodes::image {

/// Parameters of image_pipeline's ResizeNode, with its defaults.
struct ResizeRequest {
  bool use_scale = true;
  double scale_height = 1.0;
  double scale_width = 1.0;
  std::int64_t height = -1;  ///< used without use_scale; -1 keeps the image's own
  std::int64_t width = -1;
  int interpolation = 1;  ///< OpenCV's code
};

enum class ResizeError : std::uint8_t {
  bad_size,           ///< the new size is 0 or not addressable
  wrong_destination,  ///< the destination has another size or type
  interpolation,      ///< not one of OpenCV's codes 0 to 4
};

/// One sentence: what is wrong, and what to do.
[[nodiscard]] const char* to_string(ResizeError error) noexcept;

/// Size of the resized image; rounded as cv::resize rounds.
[[nodiscard]] expected<cv::Size, ResizeError> resized_size(const ResizeRequest& request,
                                                           cv::Size size);

/// Resize `image` into `resized`, which must have resized_size() and the type of `image` already:
/// its memory is written, never replaced.
[[nodiscard]] expected<void, ResizeError> resize_into(const cv::Mat& image, cv::Mat& resized,
                                                      const ResizeRequest& request);

/// The calibration of the resized image: focal lengths, centre and region of interest scaled.
[[nodiscard]] expected<Calibration, ResizeError> resized_calibration(const Calibration& calibration,
                                                                     const ResizeRequest& request);

}  // namespace ligament::nodes::image
