// SPDX-License-Identifier: Apache-2.0
// The resize node on the CPU: cv::resize from the sample's bytes straight into the loan's bytes.
// Topics, parameters and behaviour follow image_pipeline's ResizeNode, except that image and
// camera_info need not be paired: what becomes of one does not depend on the other.
#include <ligament/ligament.hpp>

#include "resize/resize_parts.hpp"

namespace ligament::nodes::image {

class Resize : public Node {
 public:
  explicit Resize(const NodeOptions& options)
      : Node("resize", options),
        request_(resize_parameters(*this, "interpolation")),
        info_(request_) {
    apply_threads_parameter(*this);
    const auto queue_size =
        static_cast<std::size_t>(integer_parameter(*this, "queue_size", 5, {1, 60, 1}));
    image_publisher_ = create_publisher<Image>("resize/image_raw", QoS(5));
    info_publisher_ = create_publisher<CameraInfo>("resize/camera_info", QoS(5));
    // The image first: it has someone waiting for it, the camera_info only describes it.
    image_subscription_ =
        create_subscription<Image>("image/image_raw", QoS(queue_size),
                                   [this](const Sample<Image>& sample) { resize(sample.view()); });
    info_subscription_ = create_subscription<CameraInfo>(
        "image/camera_info", QoS(queue_size), [this](const Sample<CameraInfo>& sample) {
          const Calibration* resized = info_.of(sample.view());
          if (resized != nullptr) publish_resized_info(*info_publisher_, sample.view(), *resized);
        });
  }

 private:
  using Image = sensor_msgs::msg::Image;
  using CameraInfo = sensor_msgs::msg::CameraInfo;

  void resize(const sensor_msgs::msg::ImageView& view) {
    const auto pixels = image_of(view);
    if (!pixels) {
      if (told_image_(pixels.error())) tell(view, to_string(pixels.error()));
      return;
    }
    const auto size = resized_size(request_, pixels->size());
    if (!size) {
      if (told_resize_(size.error())) tell(view, to_string(size.error()));
      return;
    }
    auto out = loan_image(*image_publisher_, header_like(view), *size, pixels->type());
    if (!out) return;  // counted and reported by the publisher
    {
      const trace::Span span(*this, "resize");
      (void)resize_into(*pixels, out->pixels, request_);  // size and type are as it wants them
    }
    image_publisher_->publish(std::move(out->loan));
  }

  void tell(const sensor_msgs::msg::ImageView& view, const std::string& why) {
    report_error("an image on '" + image_subscription_->get_topic_name() + "' (" +
                 std::to_string(view.width()) + "x" + std::to_string(view.height()) + " '" +
                 std::string(view.encoding()) + "') cannot be resized: " + why);
  }

  ResizeRequest request_;
  ResizedInfo info_;
  ToldOnce<ImageError> told_image_;
  ToldOnce<ResizeError> told_resize_;
  std::shared_ptr<Publisher<Image>> image_publisher_;
  std::shared_ptr<Publisher<CameraInfo>> info_publisher_;
  std::shared_ptr<Subscription<Image>> image_subscription_;
  std::shared_ptr<Subscription<CameraInfo>> info_subscription_;
};

}  // namespace ligament::nodes::image

LIGAMENT_REGISTER_NODE(ligament::nodes::image::Resize)
