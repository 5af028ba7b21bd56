// SPDX-License-Identifier: Apache-2.0
#include "common/image_format.hpp"

#include <algorithm>
#include <array>
#include <opencv2/imgproc.hpp>

namespace ligament::nodes::image {
namespace {

struct EncodingRow {
  std::string_view name;
  int cv_type;
};

constexpr std::array kEncodings = {
    EncodingRow{"mono8", CV_8UC1},   EncodingRow{"mono16", CV_16UC1},
    EncodingRow{"rgb8", CV_8UC3},    EncodingRow{"bgr8", CV_8UC3},
    EncodingRow{"rgba8", CV_8UC4},   EncodingRow{"bgra8", CV_8UC4},
    EncodingRow{"rgb16", CV_16UC3},  EncodingRow{"bgr16", CV_16UC3},
    EncodingRow{"rgba16", CV_16UC4}, EncodingRow{"bgra16", CV_16UC4},
    EncodingRow{"8UC1", CV_8UC1},    EncodingRow{"8UC3", CV_8UC3},
    EncodingRow{"8UC4", CV_8UC4},    EncodingRow{"16UC1", CV_16UC1},
    EncodingRow{"16UC3", CV_16UC3},  EncodingRow{"16UC4", CV_16UC4},
    EncodingRow{"16SC1", CV_16SC1},  EncodingRow{"32FC1", CV_32FC1},
    EncodingRow{"32FC3", CV_32FC3},  EncodingRow{"32FC4", CV_32FC4},
};

struct ConversionRow {
  std::string_view from;
  std::string_view to;
  int code;
};

constexpr std::array kConversions = {
    ConversionRow{"bgr8", "rgb8", cv::COLOR_BGR2RGB},
    ConversionRow{"bgr8", "mono8", cv::COLOR_BGR2GRAY},
    ConversionRow{"bgr8", "bgra8", cv::COLOR_BGR2BGRA},
    ConversionRow{"bgr8", "rgba8", cv::COLOR_BGR2RGBA},
    ConversionRow{"rgb8", "bgr8", cv::COLOR_RGB2BGR},
    ConversionRow{"rgb8", "mono8", cv::COLOR_RGB2GRAY},
    ConversionRow{"rgb8", "bgra8", cv::COLOR_RGB2BGRA},
    ConversionRow{"rgb8", "rgba8", cv::COLOR_RGB2RGBA},
    ConversionRow{"mono8", "bgr8", cv::COLOR_GRAY2BGR},
    ConversionRow{"mono8", "rgb8", cv::COLOR_GRAY2RGB},
    ConversionRow{"mono8", "bgra8", cv::COLOR_GRAY2BGRA},
    ConversionRow{"mono8", "rgba8", cv::COLOR_GRAY2RGBA},
    ConversionRow{"bgra8", "bgr8", cv::COLOR_BGRA2BGR},
    ConversionRow{"bgra8", "rgb8", cv::COLOR_BGRA2RGB},
    ConversionRow{"bgra8", "mono8", cv::COLOR_BGRA2GRAY},
    ConversionRow{"bgra8", "rgba8", cv::COLOR_BGRA2RGBA},
    ConversionRow{"rgba8", "bgr8", cv::COLOR_RGBA2BGR},
    ConversionRow{"rgba8", "rgb8", cv::COLOR_RGBA2RGB},
    ConversionRow{"rgba8", "mono8", cv::COLOR_RGBA2GRAY},
    ConversionRow{"rgba8", "bgra8", cv::COLOR_RGBA2BGRA},
};

// OpenCV's remap and resize keep coordinates in 16 bits.
constexpr std::uint32_t kLongestSide = 32767;

/// The named form of OpenCV's generic encodings, so that conversions need one table only.
std::string_view canonical(std::string_view encoding) {
  if (encoding == "8UC1") return "mono8";
  if (encoding == "8UC3") return "bgr8";
  if (encoding == "8UC4") return "bgra8";
  if (encoding == "16UC1") return "mono16";
  return encoding;
}

/// Null: there is none.
const ConversionRow* conversion(std::string_view source, std::string_view target) noexcept {
  const auto* row =
      std::find_if(kConversions.begin(), kConversions.end(),
                   [&](const ConversionRow& r) { return r.from == source && r.to == target; });
  return row == kConversions.end() ? nullptr : row;
}

}  // namespace

const char* to_string(ImageError error) noexcept {
  switch (error) {
    case ImageError::unknown_encoding:
      return "the encoding is not supported; use mono8, mono16, rgb8, bgr8, rgba8, bgra8 (or "
             "OpenCV's 8UC1 ... 32FC4)";
    case ImageError::big_endian:
      return "the image is stored big-endian; convert it to little-endian";
    case ImageError::empty:
      return "the image has no pixels (width or height is 0)";
    case ImageError::too_large:
      return "a side of the image is longer than 32767 pixels, which OpenCV's kernels cannot "
             "address";
    case ImageError::step_too_small:
      return "`step` is smaller than a row of pixels; the publisher fills the message wrongly";
    case ImageError::data_too_short:
      return "`data` is shorter than step * height; the publisher fills the message wrongly";
    case ImageError::conversion_unknown:
      return "there is no conversion between these encodings; set `encoding: source` to keep the "
             "source's own";
  }
  return "unknown image error";
}

expected<int, ImageError> cv_type_of(std::string_view encoding) noexcept {
  const auto* row = std::find_if(kEncodings.begin(), kEncodings.end(),
                                 [&](const EncodingRow& r) { return r.name == encoding; });
  if (row == kEncodings.end()) {
    return unexpected<ImageError>(ImageError::unknown_encoding);
  }
  return row->cv_type;
}

std::string_view encoding_of(int cv_type) noexcept {
  switch (cv_type) {
    case CV_8UC1:
      return "mono8";
    case CV_16UC1:
      return "mono16";
    case CV_8UC3:
      return "bgr8";
    case CV_8UC4:
      return "bgra8";
    case CV_16UC3:
      return "bgr16";
    case CV_16UC4:
      return "bgra16";
    default:
      return {};
  }
}

std::size_t pixel_bytes(int cv_type) noexcept {
  return static_cast<std::size_t>(CV_ELEM_SIZE(cv_type));
}

expected<cv::Mat, ImageError> image_over(const ImageLayout& layout,
                                         std::span<const std::uint8_t> bytes) {
  const auto type = cv_type_of(layout.encoding);
  if (!type) return unexpected<ImageError>(type.error());
  if (layout.is_bigendian && CV_ELEM_SIZE1(*type) > 1) {
    return unexpected<ImageError>(ImageError::big_endian);
  }
  if (layout.width == 0 || layout.height == 0) return unexpected<ImageError>(ImageError::empty);
  if (layout.width > kLongestSide || layout.height > kLongestSide) {
    return unexpected<ImageError>(ImageError::too_large);
  }
  if (layout.step < layout.width * pixel_bytes(*type)) {
    return unexpected<ImageError>(ImageError::step_too_small);
  }
  if (bytes.size() < std::size_t{layout.step} * layout.height) {
    return unexpected<ImageError>(ImageError::data_too_short);
  }
  return cv::Mat(static_cast<int>(layout.height), static_cast<int>(layout.width), *type,
                 const_cast<std::uint8_t*>(bytes.data()), layout.step);
}

expected<cv::Mat, ImageError> image_into(cv::Size size, int cv_type,
                                         std::span<std::uint8_t> bytes) {
  if (size.width <= 0 || size.height <= 0) return unexpected<ImageError>(ImageError::empty);
  const auto needed = static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height) *
                      pixel_bytes(cv_type);
  if (bytes.size() < needed) return unexpected<ImageError>(ImageError::data_too_short);
  return cv::Mat(size, cv_type, bytes.data());
}

bool can_convert(std::string_view from, std::string_view to) noexcept {
  const auto source = canonical(from);
  const auto target = canonical(to);
  return source == target || (source == "mono16" && target == "mono8") ||
         conversion(source, target) != nullptr;
}

expected<void, ImageError> convert_into(const cv::Mat& image, std::string_view from,
                                        std::string_view to, cv::Mat& out) {
  const auto source = canonical(from);
  const auto target = canonical(to);
  if (source == target) {
    image.copyTo(out);
  } else if (source == "mono16" && target == "mono8") {
    image.convertTo(out, CV_8U, 1.0 / 257.0);
  } else if (const auto* row = conversion(source, target)) {
    cv::cvtColor(image, out, row->code);
  } else {
    return unexpected<ImageError>(ImageError::conversion_unknown);
  }
  return {};
}

expected<cv::Mat, ImageError> convert_encoding(const cv::Mat& image, std::string_view from,
                                               std::string_view to) {
  if (canonical(from) == canonical(to)) return image;
  cv::Mat out;
  if (auto converted = convert_into(image, from, to, out); !converted) {
    return unexpected<ImageError>(converted.error());
  }
  return out;
}

}  // namespace ligament::nodes::image
