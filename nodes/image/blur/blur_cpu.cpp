// SPDX-License-Identifier: Apache-2.0
// The blur node on the CPU: cv::GaussianBlur from the sample's bytes straight into the loan's
// bytes.
#include <ligament/ligament.hpp>
#include <opencv2/imgproc.hpp>

#include "common/image_messages.hpp"
#include "common/node_parts.hpp"

namespace ligament::nodes::image {

class Blur : public Node {
 public:
  explicit Blur(const NodeOptions& options)
      : Node("blur", options),
        size_(static_cast<int>(integer_parameter(*this, "size", 5, {3, 7, 2}))) {
    apply_threads_parameter(*this);
    publisher_ = create_publisher<sensor_msgs::msg::Image>("image_blurred", QoS(5));
    subscription_ = create_subscription<sensor_msgs::msg::Image>(
        "image", QoS(5),
        [this](const Sample<sensor_msgs::msg::Image>& sample) { blur(sample.view()); });
  }

 private:
  void blur(const sensor_msgs::msg::ImageView& view) {
    const auto pixels = image_of(view);
    if (!pixels) {
      if (told_(pixels.error())) {
        report_error("an image on '" + subscription_->get_topic_name() + "' (encoding '" +
                     std::string(view.encoding()) +
                     "') cannot be smoothed: " + to_string(pixels.error()));
      }
      return;
    }
    auto out = loan_image(*publisher_, header_like(view), pixels->size(), pixels->type());
    if (!out) return;  // counted and reported by the publisher
    {
      const trace::Span span(*this, "blur");
      cv::GaussianBlur(*pixels, out->pixels, {size_, size_}, 0);
    }
    publisher_->publish(std::move(out->loan));
  }

  int size_;
  ToldOnce<ImageError> told_;
  std::shared_ptr<Publisher<sensor_msgs::msg::Image>> publisher_;
  std::shared_ptr<Subscription<sensor_msgs::msg::Image>> subscription_;
};

}  // namespace ligament::nodes::image

LIGAMENT_REGISTER_NODE(ligament::nodes::image::Blur)
