// SPDX-License-Identifier: Apache-2.0
/// \file The encodings of sensor_msgs/msg/Image as OpenCV types, and image bytes as a cv::Mat.
///
///   auto image = image_over(ImageLayout{480, 640, 1920, "rgb8", false}, bytes);   // no copy
///   if (!image) report(to_string(image.error()));
///
/// Nothing here copies pixels: a cv::Mat made by these functions is a header over the caller's
/// bytes and lives no longer than those.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ligament/expected.hpp>
#include <opencv2/core/mat.hpp>
#include <span>
#include <string>
#include <string_view>

namespace ligament::nodes::image {

/// Why an image cannot be processed.
enum class ImageError : std::uint8_t {
  unknown_encoding,    ///< not in the table of supported encodings
  big_endian,          ///< more than one byte per channel, stored big-endian
  empty,               ///< width or height is 0
  too_large,           ///< a side longer than OpenCV's kernels address
  step_too_small,      ///< a row does not fit into `step`
  data_too_short,      ///< fewer bytes than step * height
  conversion_unknown,  ///< no way from one encoding to the other
};

/// One sentence: what is wrong with the image, and what to do.
[[nodiscard]] const char* to_string(ImageError error) noexcept;

/// The fields of an Image message that say how its bytes lie.
struct ImageLayout {
  std::uint32_t height = 0;
  std::uint32_t width = 0;
  std::uint32_t step = 0;
  std::string_view encoding;
  bool is_bigendian = false;
};

/// OpenCV's type (CV_8UC3, ...) of an encoding of sensor_msgs. Bayer patterns and YUV are refused:
/// interpolating between their neighbours would mix colours.
[[nodiscard]] expected<int, ImageError> cv_type_of(std::string_view encoding) noexcept;

/// The encoding of an image that OpenCV decoded from a file (its channel order is blue, green,
/// red); empty if sensor_msgs has no name for it.
[[nodiscard]] std::string_view encoding_of(int cv_type) noexcept;

/// Bytes of one pixel of an OpenCV type.
[[nodiscard]] std::size_t pixel_bytes(int cv_type) noexcept;

/// A read-only image over bytes that somebody else owns. (cv::Mat has no const form: the kernels
/// take it as `const cv::Mat&` and only read.)
[[nodiscard]] expected<cv::Mat, ImageError> image_over(const ImageLayout& layout,
                                                       std::span<const std::uint8_t> bytes);

/// A writable, tightly packed image over `bytes`, which must hold height * width * pixel bytes.
[[nodiscard]] expected<cv::Mat, ImageError> image_into(cv::Size size, int cv_type,
                                                       std::span<std::uint8_t> bytes);

/// Whether there is a way from one encoding to the other.
[[nodiscard]] bool can_convert(std::string_view from, std::string_view to) noexcept;

/// `image` in another encoding into `out`, which must have its size and the other encoding's type:
/// its memory is written, never replaced.
[[nodiscard]] expected<void, ImageError> convert_into(const cv::Mat& image, std::string_view from,
                                                      std::string_view to, cv::Mat& out);

/// `image` in another encoding: 8-bit colour and grey in any order, 16 bit to 8 bit grey. Copies
/// unless both encodings are the same.
[[nodiscard]] expected<cv::Mat, ImageError> convert_encoding(const cv::Mat& image,
                                                             std::string_view from,
                                                             std::string_view to);

}  // namespace ligament::nodes::image
