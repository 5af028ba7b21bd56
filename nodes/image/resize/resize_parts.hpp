// SPDX-License-Identifier: Apache-2.0
/// \file What the resize node and the fused node share: parameters, and the resized camera_info.
#pragma once

#include <ligament/node.hpp>

#include "common/camera_info_message.hpp"
#include "common/image_messages.hpp"
#include "common/node_parts.hpp"
#include "resize/resize_kernel.hpp"

namespace ligament::nodes::image {

/// Declares ResizeNode's parameters; the fused node has its interpolation under another name.
inline ResizeRequest resize_parameters(Node& node, const std::string& interpolation) {
  ParameterDescriptor fixed;
  fixed.read_only = true;
  ResizeRequest request;
  request.interpolation = static_cast<int>(integer_parameter(node, interpolation, 1, {0, 4, 1}));
  request.use_scale = node.declare_parameter<bool>("use_scale", true, fixed);
  request.scale_height = double_parameter(node, "scale_height", 1.0, {1e-6, 1e6, 0});
  request.scale_width = double_parameter(node, "scale_width", 1.0, {1e-6, 1e6, 0});
  request.height = integer_parameter(node, "height", -1, {-1, 32767, 1});
  request.width = integer_parameter(node, "width", -1, {-1, 32767, 1});
  if (!request.use_scale && (request.height == 0 || request.width == 0)) {
    node.report_error(
        "`height` and `width` of the resized image must be positive, or -1 to keep "
        "the image's own");
  }
  return request;
}

/// Publishes a camera_info scaled to the resized image, with the header of the one that came. Does
/// nothing while nobody listens.
inline void publish_resized_info(Publisher<sensor_msgs::msg::CameraInfo>& publisher,
                                 const sensor_msgs::msg::CameraInfoView& info,
                                 const Calibration& resized) {
  if (publisher.get_subscription_count() == 0) return;
  const auto frame_id = info.header().frame_id();
  auto loan = publisher.borrow_loaned_message(shape_for(resized, frame_id));
  if (!loan) return;  // counted and reported by the publisher
  set_stamp(loan->get(), stamp_of(info));
  loan->get().header().set_frame_id(frame_id);
  fill(loan->get(), resized);
  loan->get().roi().set_do_rectify(info.roi().do_rectify());
  publisher.publish(std::move(*loan));
}

/// Remembers the last calibration and its resized form: they change about never.
class ResizedInfo {
 public:
  explicit ResizedInfo(const ResizeRequest& request) : request_(request) {}

  /// The resized calibration, or null where the sizes do not allow one.
  const Calibration* of(const sensor_msgs::msg::CameraInfoView& info) {
    if (!known_ || !same_calibration(info, before_)) {
      before_ = calibration_of(info);
      after_ = resized_calibration(before_, request_);
      known_ = true;
    }
    return after_ ? &*after_ : nullptr;
  }

 private:
  ResizeRequest request_;
  bool known_ = false;
  Calibration before_;
  expected<Calibration, ResizeError> after_;
};

}  // namespace ligament::nodes::image
