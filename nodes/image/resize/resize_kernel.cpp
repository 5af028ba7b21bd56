// SPDX-License-Identifier: Apache-2.0
#include "resize/resize_kernel.hpp"

#include <cmath>
#include <opencv2/imgproc.hpp>

namespace ligament::nodes::image {
namespace {

using Error = unexpected<ResizeError>;

constexpr double kLongestSide = 32767;

bool is_addressable(double side) { return side >= 1 && side <= kLongestSide; }

std::uint32_t scaled(std::uint32_t length, double scale) {
  return static_cast<std::uint32_t>(length * scale);
}

}  // namespace

const char* to_string(ResizeError error) noexcept {
  switch (error) {
    case ResizeError::bad_size:
      return "the resized image would have a side of 0 or more than 32767 pixels; set the scales, "
             "or "
             "`height` and `width`, to another value";
    case ResizeError::wrong_destination:
      return "the destination has not the size and type of the resized image";
    case ResizeError::interpolation:
      return "`interpolation` is none of 0 (nearest), 1 (linear), 2 (cubic), 3 (area) and 4 "
             "(Lanczos)";
  }
  return "unknown resize error";
}

expected<cv::Size, ResizeError> resized_size(const ResizeRequest& request, cv::Size size) {
  double width = size.width;
  double height = size.height;
  if (request.use_scale) {
    width = std::nearbyint(width * request.scale_width);  // cv::resize uses saturate_cast: the same
    height = std::nearbyint(height * request.scale_height);
  } else {
    if (request.width != -1) width = static_cast<double>(request.width);
    if (request.height != -1) height = static_cast<double>(request.height);
  }
  if (!is_addressable(width) || !is_addressable(height)) return Error(ResizeError::bad_size);
  return cv::Size(static_cast<int>(width), static_cast<int>(height));
}

expected<void, ResizeError> resize_into(const cv::Mat& image, cv::Mat& resized,
                                        const ResizeRequest& request) {
  if (request.interpolation < cv::INTER_NEAREST || request.interpolation > cv::INTER_LANCZOS4) {
    return Error(ResizeError::interpolation);
  }
  const auto size = resized_size(request, image.size());
  if (!size) return Error(size.error());
  if (resized.size() != *size || resized.type() != image.type()) {
    return Error(ResizeError::wrong_destination);
  }
  if (request.use_scale) {
    // The factors, not the size: where rounding changed the size, OpenCV samples by the factors.
    cv::resize(image, resized, cv::Size(), request.scale_width, request.scale_height,
               request.interpolation);
  } else {
    cv::resize(image, resized, *size, 0, 0, request.interpolation);
  }
  return {};
}

expected<Calibration, ResizeError> resized_calibration(const Calibration& calibration,
                                                       const ResizeRequest& request) {
  const cv::Size before(static_cast<int>(calibration.width), static_cast<int>(calibration.height));
  const auto after = resized_size(request, before);
  if (!after) return Error(after.error());
  const double x = request.use_scale ? request.scale_width : double(after->width) / before.width;
  const double y = request.use_scale ? request.scale_height : double(after->height) / before.height;
  Calibration out = calibration;
  out.width = static_cast<std::uint32_t>(after->width);
  out.height = static_cast<std::uint32_t>(after->height);
  out.k[0] *= x;  // fx
  out.k[2] *= x;  // cx
  out.k[4] *= y;  // fy
  out.k[5] *= y;  // cy
  out.p[0] *= x;
  out.p[2] *= x;
  out.p[3] *= x;  // Tx of a stereo pair is in pixels too
  out.p[5] *= y;
  out.p[6] *= y;
  out.p[7] *= y;
  out.roi_x = scaled(calibration.roi_x, x);
  out.roi_y = scaled(calibration.roi_y, y);
  out.roi_width = scaled(calibration.roi_width, x);
  out.roi_height = scaled(calibration.roi_height, y);
  return out;
}

}  // namespace ligament::nodes::image
