// SPDX-License-Identifier: Apache-2.0
#include "rectify/rectify_map.hpp"

#include <algorithm>
#include <array>
#include <opencv2/calib3d.hpp>
#include <opencv2/imgproc.hpp>

namespace ligament::nodes::image {
namespace {

using Error = unexpected<RectifyError>;

constexpr std::uint32_t kLongestSide = 32767;

enum class Model : std::uint8_t { none, pinhole, fisheye };

expected<Model, RectifyError> model_of(const Calibration& calibration) {
  if (!has_distortion(calibration)) return Model::none;
  const std::size_t count = calibration.d.size();
  if (calibration.distortion_model == "equidistant") {
    return count == 4 ? expected<Model, RectifyError>(Model::fisheye)
                      : Error(RectifyError::coefficient_count);
  }
  if (calibration.distortion_model != "plumb_bob" &&
      calibration.distortion_model != "rational_polynomial") {
    return Error(RectifyError::unknown_model);
  }
  constexpr std::array<std::size_t, 5> known = {4, 5, 8, 12, 14};
  if (std::find(known.begin(), known.end(), count) == known.end()) {
    return Error(RectifyError::coefficient_count);
  }
  return Model::pinhole;
}

struct Intrinsics {
  cv::Matx33d k;
  cv::Matx33d r;
  cv::Matx34d p;
  cv::Size size;
  int binning_x = 1;
  int binning_y = 1;
};

/// K and P of the binned image, as image_geometry scales them.
Intrinsics binned(const Calibration& calibration) {
  Intrinsics in{cv::Matx33d(calibration.k.data()),
                cv::Matx33d(calibration.r.data()),
                cv::Matx34d(calibration.p.data()),
                {},
                1,
                1};
  in.binning_x = static_cast<int>(std::max(1U, calibration.binning_x));
  in.binning_y = static_cast<int>(std::max(1U, calibration.binning_y));
  const double scale_x = 1.0 / in.binning_x;
  const double scale_y = 1.0 / in.binning_y;
  in.k(0, 0) *= scale_x;
  in.k(0, 2) *= scale_x;
  in.k(1, 1) *= scale_y;
  in.k(1, 2) *= scale_y;
  in.p(0, 0) *= scale_x;
  in.p(0, 2) *= scale_x;
  in.p(0, 3) *= scale_x;
  in.p(1, 1) *= scale_y;
  in.p(1, 2) *= scale_y;
  in.p(1, 3) *= scale_y;
  in.size = {static_cast<int>(calibration.width) / in.binning_x,
             static_cast<int>(calibration.height) / in.binning_y};
  return in;
}

/// The part of the table that a region of interest uses, shifted to the region's own origin.
expected<void, RectifyError> reduce(const Calibration& calibration, const Intrinsics& in,
                                    cv::Mat& xy, cv::Mat& fraction) {
  cv::Rect region(static_cast<int>(calibration.roi_x), static_cast<int>(calibration.roi_y),
                  static_cast<int>(calibration.roi_width),
                  static_cast<int>(calibration.roi_height));
  if (region == cv::Rect()) return {};  // ROS: all zero means the full image
  region.x /= in.binning_x;
  region.width /= in.binning_x;
  region.y /= in.binning_y;
  region.height /= in.binning_y;
  const cv::Rect full({0, 0}, in.size);
  if (region.area() <= 0 || (region & full) != region) return Error(RectifyError::bad_region);
  if (region == full) return {};
  xy = xy(region) - cv::Scalar(region.x, region.y);
  fraction = fraction(region).clone();
  return {};
}

bool is_known_interpolation(int code) {
  return code == cv::INTER_NEAREST || code == cv::INTER_LINEAR || code == cv::INTER_CUBIC ||
         code == cv::INTER_LANCZOS4;
}

}  // namespace

const char* to_string(RectifyError error) noexcept {
  switch (error) {
    case RectifyError::uncalibrated:
      return "the camera is uncalibrated (K[0] is 0); calibrate it and give the camera node its "
             "calibration file";
    case RectifyError::unknown_model:
      return "the distortion model is none of plumb_bob, rational_polynomial and equidistant";
    case RectifyError::coefficient_count:
      return "the distortion model does not know that number of coefficients (plumb_bob and "
             "rational_polynomial: 4, 5, 8, 12 or 14; equidistant: 4)";
    case RectifyError::bad_size:
      return "the calibration's width or height is 0, or longer than 32767 pixels";
    case RectifyError::bad_region:
      return "the calibration's region of interest does not lie inside its image";
    case RectifyError::size_mismatch:
      return "the image is not of the size that the camera was calibrated for; use the calibration "
             "of this resolution";
    case RectifyError::interpolation:
      return "`interpolation` is none of 0 (nearest), 1 (linear), 2 (cubic) and 4 (Lanczos)";
  }
  return "unknown rectification error";
}

expected<RectifyMap, RectifyError> RectifyMap::create(const Calibration& calibration) {
  if (!is_calibrated(calibration)) return Error(RectifyError::uncalibrated);
  const auto model = model_of(calibration);
  if (!model) return Error(model.error());
  if (calibration.width == 0 || calibration.height == 0 || calibration.width > kLongestSide ||
      calibration.height > kLongestSide || calibration.binning_x > calibration.width ||
      calibration.binning_y > calibration.height) {
    return Error(RectifyError::bad_size);
  }
  const Intrinsics in = binned(calibration);
  cv::Mat xy;
  cv::Mat fraction;
  if (*model == Model::fisheye) {
    cv::fisheye::initUndistortRectifyMap(in.k, calibration.d, in.r, in.p, in.size, CV_16SC2, xy,
                                         fraction);
  } else {
    cv::initUndistortRectifyMap(in.k, calibration.d, in.r, in.p, in.size, CV_16SC2, xy, fraction);
  }
  if (auto reduced = reduce(calibration, in, xy, fraction); !reduced) return Error(reduced.error());
  return RectifyMap(std::move(xy), std::move(fraction));
}

expected<void, RectifyError> RectifyMap::remap(const cv::Mat& raw, cv::Mat& rectified,
                                               int interpolation) const {
  if (raw.size() != size() || rectified.size() != size() || rectified.type() != raw.type()) {
    return Error(RectifyError::size_mismatch);
  }
  if (!is_known_interpolation(interpolation)) return Error(RectifyError::interpolation);
  cv::remap(raw, rectified, xy_, fraction_, interpolation);
  return {};
}

}  // namespace ligament::nodes::image
