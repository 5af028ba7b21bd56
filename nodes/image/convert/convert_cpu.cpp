// SPDX-License-Identifier: Apache-2.0
// The convert node on the CPU: cv::cvtColor from the sample's bytes straight into the loan's bytes.
#include <ligament/ligament.hpp>

#include "common/image_messages.hpp"
#include "common/node_parts.hpp"

namespace ligament::nodes::image {

class Convert : public Node {
 public:
  explicit Convert(const NodeOptions& options)
      : Node("convert", options),
        encoding_(choice_parameter(*this, "encoding", {"mono8", "rgb8", "bgr8", "rgba8", "bgra8"})),
        type_(*cv_type_of(encoding_)) {
    apply_threads_parameter(*this);
    publisher_ = create_publisher<sensor_msgs::msg::Image>("image_converted", QoS(5));
    subscription_ = create_subscription<sensor_msgs::msg::Image>(
        "image", QoS(5),
        [this](const Sample<sensor_msgs::msg::Image>& sample) { convert(sample.view()); });
  }

 private:
  void convert(const sensor_msgs::msg::ImageView& view) {
    const auto pixels = image_of(view);
    if (!pixels) return tell(view, pixels.error());
    if (!can_convert(view.encoding(), encoding_)) return tell(view, ImageError::conversion_unknown);
    ImageHeader header = header_like(view);
    header.encoding = encoding_;
    auto out = loan_image(*publisher_, header, pixels->size(), type_);
    if (!out) return;  // counted and reported by the publisher
    {
      const trace::Span span(*this, "convert");
      (void)convert_into(*pixels, view.encoding(), encoding_, out->pixels);  // checked above
    }
    publisher_->publish(std::move(out->loan));
  }

  void tell(const sensor_msgs::msg::ImageView& view, ImageError error) {
    if (told_(error)) {
      report_error("an image on '" + subscription_->get_topic_name() + "' (encoding '" +
                   std::string(view.encoding()) + "') cannot be converted: " + to_string(error));
    }
  }

  std::string encoding_;
  int type_;
  ToldOnce<ImageError> told_;
  std::shared_ptr<Publisher<sensor_msgs::msg::Image>> publisher_;
  std::shared_ptr<Subscription<sensor_msgs::msg::Image>> subscription_;
};

}  // namespace ligament::nodes::image

LIGAMENT_REGISTER_NODE(ligament::nodes::image::Convert)
