// SPDX-License-Identifier: Apache-2.0
#include "common/calibration.hpp"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <opencv2/core.hpp>
#include <opencv2/core/persistence.hpp>
#include <optional>

namespace ligament::nodes::image {
namespace {

using Result = expected<Calibration, CalibrationError>;

auto fail(CalibrationErrorCode code, std::string text) {
  return unexpected<CalibrationError>(CalibrationError{code, std::move(text)});
}

auto missing_field(const std::filesystem::path& path, const std::string& fields) {
  return fail(CalibrationErrorCode::field_missing,
              "calibration file '" + path.string() + "' has no " + fields +
                  "; it needs OpenCV's camera_matrix, distortion_coefficients, image_width and "
                  "image_height, or the fields of ROS's camera_info YAML");
}

void fill_defaults(Calibration& calibration) {
  if (std::all_of(calibration.r.begin(), calibration.r.end(), [](double v) { return v == 0; })) {
    calibration.r = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  }
  if (calibration.p[0] == 0) {
    const auto& k = calibration.k;
    calibration.p = {k[0], k[1], k[2], 0, k[3], k[4], k[5], 0, k[6], k[7], k[8], 0};
  }
}

/// ROS's name for a distortion with that many coefficients, as OpenCV orders them.
std::string model_for(std::size_t coefficients) {
  return coefficients > 5 ? "rational_polynomial" : "plumb_bob";
}

Result check(Calibration calibration, const std::filesystem::path& path) {
  constexpr std::array<std::size_t, 6> lengths = {0, 4, 5, 8, 12, 14};
  if (std::find(lengths.begin(), lengths.end(), calibration.d.size()) == lengths.end()) {
    return fail(CalibrationErrorCode::bad_value,
                "calibration file '" + path.string() + "' has " +
                    std::to_string(calibration.d.size()) +
                    " distortion coefficients; OpenCV knows 0, 4, 5, 8, 12 or 14");
  }
  const auto finite = [](double value) { return std::isfinite(value); };
  if (!std::all_of(calibration.k.begin(), calibration.k.end(), finite) ||
      !std::all_of(calibration.d.begin(), calibration.d.end(), finite)) {
    return fail(CalibrationErrorCode::bad_value,
                "calibration file '" + path.string() + "' holds a value that is not a number");
  }
  fill_defaults(calibration);
  return calibration;
}

template <std::size_t N>
bool copy_matrix(const cv::FileNode& node, std::array<double, N>& out) {
  cv::Mat matrix;
  node >> matrix;
  if (matrix.total() != N) return false;
  matrix.reshape(1, 1).convertTo(matrix, CV_64F);
  std::copy_n(matrix.ptr<double>(), N, out.begin());
  return true;
}

Result read_opencv(const cv::FileStorage& file, const std::filesystem::path& path) {
  Calibration calibration;
  const int width = static_cast<int>(file["image_width"]);
  const int height = static_cast<int>(file["image_height"]);
  if (width <= 0 || height <= 0) return missing_field(path, "image_width and image_height");
  calibration.width = static_cast<std::uint32_t>(width);
  calibration.height = static_cast<std::uint32_t>(height);
  if (!copy_matrix(file["camera_matrix"], calibration.k)) {
    return missing_field(path, "3x3 camera_matrix");
  }
  cv::Mat distortion;
  file["distortion_coefficients"] >> distortion;
  if (distortion.empty()) return missing_field(path, "distortion_coefficients");
  distortion.reshape(1, 1).convertTo(distortion, CV_64F);
  calibration.d.assign(distortion.begin<double>(), distortion.end<double>());
  calibration.distortion_model = model_for(calibration.d.size());
  return check(std::move(calibration), path);
}

template <std::size_t N>
bool copy_data(const YAML::Node& matrix, std::array<double, N>& out) {
  const auto values = matrix["data"].as<std::vector<double>>();
  if (values.size() != N) return false;
  std::copy(values.begin(), values.end(), out.begin());
  return true;
}

Result read_ros(const YAML::Node& root, const std::filesystem::path& path) {
  Calibration calibration;
  for (const char* field :
       {"image_width", "image_height", "camera_matrix", "distortion_coefficients"}) {
    if (!root[field]) return missing_field(path, field);
  }
  calibration.width = root["image_width"].as<std::uint32_t>();
  calibration.height = root["image_height"].as<std::uint32_t>();
  if (!copy_data(root["camera_matrix"], calibration.k)) {
    return missing_field(path, "camera_matrix with 9 values");
  }
  calibration.d = root["distortion_coefficients"]["data"].as<std::vector<double>>();
  calibration.distortion_model = root["distortion_model"]
                                     ? root["distortion_model"].as<std::string>()
                                     : model_for(calibration.d.size());
  if (root["rectification_matrix"] && !copy_data(root["rectification_matrix"], calibration.r)) {
    return missing_field(path, "rectification_matrix with 9 values");
  }
  if (root["projection_matrix"] && !copy_data(root["projection_matrix"], calibration.p)) {
    return missing_field(path, "projection_matrix with 12 values");
  }
  return check(std::move(calibration), path);
}

/// ROS's form, or nothing if the file is not plain YAML with that form's marks.
std::optional<Result> try_ros(const std::filesystem::path& path) {
  // yaml-cpp reports by exception; this is its only boundary with us.
  try {
    const YAML::Node root = YAML::LoadFile(path.string());
    if (!root.IsMap() || !root["camera_matrix"] ||
        root["camera_matrix"].Tag().find("opencv") != std::string::npos) {
      return std::nullopt;
    }
    return read_ros(root, path);
  } catch (const YAML::Exception&) {
    return std::nullopt;
  }
}

}  // namespace

bool has_distortion(const Calibration& calibration) {
  return std::any_of(calibration.d.begin(), calibration.d.end(),
                     [](double value) { return value != 0.0; });
}

Calibration uncalibrated(std::uint32_t width, std::uint32_t height) {
  Calibration calibration;
  calibration.width = width;
  calibration.height = height;
  return calibration;
}

Result read_calibration(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) {
    return fail(CalibrationErrorCode::not_found,
                "there is no calibration file '" + path.string() + "'; set `calibration` to one");
  }
  if (path.extension() != ".gz") {
    if (auto ros = try_ros(path)) return *std::move(ros);
  }
  // cv::FileStorage reports by exception; this is its only boundary with us.
  try {
    const cv::FileStorage file(path.string(), cv::FileStorage::READ);
    if (file.isOpened()) return read_opencv(file, path);
  } catch (const cv::Exception&) {
  }
  return fail(CalibrationErrorCode::not_readable,
              "calibration file '" + path.string() +
                  "' is neither OpenCV's YAML nor ROS's camera_info YAML; check that it is whole");
}

}  // namespace ligament::nodes::image
