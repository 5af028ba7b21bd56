// SPDX-License-Identifier: Apache-2.0
/// \file A camera's calibration: the fields of sensor_msgs/msg/CameraInfo that describe the lens.
///
///   auto calibration = read_calibration("left_intrinsics.yml");
///   if (!calibration) stop(calibration.error().text);
///
/// Two file forms are read: OpenCV's (what `cv::FileStorage` and the calibration sample write, also
/// gzipped) and ROS's camera_info YAML (what camera_calibration writes).
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <ligament/expected.hpp>
#include <string>
#include <vector>

namespace ligament::nodes::image {

/// Names and meaning as in sensor_msgs/msg/CameraInfo.
struct Calibration {
  std::uint32_t height = 0;
  std::uint32_t width = 0;
  std::string distortion_model;
  std::vector<double> d;
  std::array<double, 9> k{};
  std::array<double, 9> r{};
  std::array<double, 12> p{};
  std::uint32_t binning_x = 0;
  std::uint32_t binning_y = 0;
  std::uint32_t roi_x = 0;
  std::uint32_t roi_y = 0;
  std::uint32_t roi_height = 0;
  std::uint32_t roi_width = 0;

  bool operator==(const Calibration&) const = default;
};

/// Whether somebody calibrated the camera at all; ROS says "not" with K[0] == 0.
[[nodiscard]] inline bool is_calibrated(const Calibration& calibration) {
  return calibration.k[0] != 0.0;
}
/// Whether the lens bends anything; without distortion an image is passed on as it is.
[[nodiscard]] bool has_distortion(const Calibration& calibration);

/// What a camera without a calibration publishes: its size and nothing else.
[[nodiscard]] Calibration uncalibrated(std::uint32_t width, std::uint32_t height);

enum class CalibrationErrorCode : std::uint8_t {
  not_found,
  not_readable,
  field_missing,
  bad_value
};

struct CalibrationError {
  CalibrationErrorCode code;
  std::string text;  ///< what, where, what to do
};

/// Read a calibration file of either form. R and P are filled with their defaults (identity, K)
/// where the file has none.
[[nodiscard]] expected<Calibration, CalibrationError> read_calibration(
    const std::filesystem::path& path);

}  // namespace ligament::nodes::image
