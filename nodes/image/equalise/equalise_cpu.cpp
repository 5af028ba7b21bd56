// SPDX-License-Identifier: Apache-2.0
// The node for histogram compensation on the CPU: cv::equalizeHist from the sample's bytes straight
// into the loan's bytes.
#include <ligament/ligament.hpp>
#include <opencv2/imgproc.hpp>

#include "common/image_messages.hpp"
#include "common/node_parts.hpp"

namespace ligament::nodes::image {

class Equalise : public Node {
 public:
  explicit Equalise(const NodeOptions& options) : Node("equalise", options) {
    apply_threads_parameter(*this);
    publisher_ = create_publisher<sensor_msgs::msg::Image>("image_equalised", QoS(5));
    subscription_ = create_subscription<sensor_msgs::msg::Image>(
        "image", QoS(5),
        [this](const Sample<sensor_msgs::msg::Image>& sample) { spread(sample.view()); });
  }

 private:
  void spread(const sensor_msgs::msg::ImageView& view) {
    const auto pixels = image_of(view);
    if (!pixels || pixels->type() != CV_8UC1) {
      tell(view, pixels ? ImageError::unknown_encoding : pixels.error());
      return;
    }
    auto out = loan_image(*publisher_, header_like(view), pixels->size(), pixels->type());
    if (!out) return;  // counted and reported by the publisher
    {
      const trace::Span span(*this, "equalise");
      cv::equalizeHist(*pixels, out->pixels);
    }
    publisher_->publish(std::move(out->loan));
  }

  void tell(const sensor_msgs::msg::ImageView& view, ImageError error) {
    if (told_(error)) {
      report_error("an image on '" + subscription_->get_topic_name() + "' (encoding '" +
                   std::string(view.encoding()) +
                   "') has no histogram of one channel of 8 bits: " + to_string(error));
    }
  }

  ToldOnce<ImageError> told_;
  std::shared_ptr<Publisher<sensor_msgs::msg::Image>> publisher_;
  std::shared_ptr<Subscription<sensor_msgs::msg::Image>> subscription_;
};

}  // namespace ligament::nodes::image

LIGAMENT_REGISTER_NODE(ligament::nodes::image::Equalise)
