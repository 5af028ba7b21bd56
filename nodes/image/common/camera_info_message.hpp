// SPDX-License-Identifier: Apache-2.0
/// \file Between Calibration and the CameraInfo message, without heap use where nothing changed.
#pragma once

#include <array>
#include <cstring>
#include <ligament/sensor_msgs/msg/camera_info.hpp>

#include "common/calibration.hpp"

namespace ligament::nodes::image {

namespace detail {

template <std::size_t N>
bool equals(const ArrayView<double>& stored, const std::array<double, N>& values) {
  return std::memcmp(stored.bytes().data(), values.data(), sizeof(values)) == 0;
}

}  // namespace detail

/// Whether a stored CameraInfo says the same about the lens. Compared bit by bit, as a map made
/// from other bits would be another map.
[[nodiscard]] inline bool same_calibration(const sensor_msgs::msg::CameraInfoView& info,
                                           const Calibration& calibration) {
  const auto d = info.d();
  return info.height() == calibration.height && info.width() == calibration.width &&
         info.distortion_model() == calibration.distortion_model &&
         d.size() == calibration.d.size() &&
         (d.empty() ||
          std::memcmp(d.bytes().data(), calibration.d.data(), d.bytes().size()) == 0) &&
         detail::equals(info.k(), calibration.k) && detail::equals(info.r(), calibration.r) &&
         detail::equals(info.p(), calibration.p) && info.binning_x() == calibration.binning_x &&
         info.binning_y() == calibration.binning_y && info.roi().x_offset() == calibration.roi_x &&
         info.roi().y_offset() == calibration.roi_y &&
         info.roi().height() == calibration.roi_height &&
         info.roi().width() == calibration.roi_width;
}

[[nodiscard]] inline Calibration calibration_of(const sensor_msgs::msg::CameraInfoView& info) {
  Calibration calibration;
  calibration.height = info.height();
  calibration.width = info.width();
  calibration.distortion_model = info.distortion_model();
  calibration.d.resize(info.d().size());
  info.d().copy_to(calibration.d);
  info.k().copy_to(calibration.k);
  info.r().copy_to(calibration.r);
  info.p().copy_to(calibration.p);
  calibration.binning_x = info.binning_x();
  calibration.binning_y = info.binning_y();
  calibration.roi_x = info.roi().x_offset();
  calibration.roi_y = info.roi().y_offset();
  calibration.roi_height = info.roi().height();
  calibration.roi_width = info.roi().width();
  return calibration;
}

/// Lengths that a message for this calibration needs.
[[nodiscard]] inline sensor_msgs::msg::CameraInfoShape shape_for(const Calibration& calibration,
                                                                 std::string_view frame_id) {
  sensor_msgs::msg::CameraInfoShape shape;
  shape.header.frame_id = frame_id.size();
  shape.distortion_model = calibration.distortion_model.size();
  shape.d = calibration.d.size();
  return shape;
}

/// Everything but the header. The builder must have been made with shape_for().
inline void fill(sensor_msgs::msg::CameraInfoBuilder& info, const Calibration& calibration) {
  info.set_height(calibration.height);
  info.set_width(calibration.width);
  info.set_distortion_model(calibration.distortion_model);
  info.d().copy_from(calibration.d);
  info.k().copy_from(calibration.k);
  info.r().copy_from(calibration.r);
  info.p().copy_from(calibration.p);
  info.set_binning_x(calibration.binning_x);
  info.set_binning_y(calibration.binning_y);
  info.roi().set_x_offset(calibration.roi_x);
  info.roi().set_y_offset(calibration.roi_y);
  info.roi().set_height(calibration.roi_height);
  info.roi().set_width(calibration.roi_width);
}

}  // namespace ligament::nodes::image
