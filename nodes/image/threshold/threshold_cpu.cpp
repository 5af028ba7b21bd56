// SPDX-License-Identifier: Apache-2.0
// The threshold node on the CPU: cv::threshold from the sample's bytes straight into the loan's
// bytes.
#include <algorithm>
#include <ligament/ligament.hpp>
#include <opencv2/imgproc.hpp>
#include <string>
#include <vector>

#include "common/image_messages.hpp"
#include "common/node_parts.hpp"

namespace ligament::nodes::image {

/// In the order of cv::ThresholdTypes.
inline const std::vector<std::string> threshold_types{"binary", "binary_inverted", "truncate",
                                                      "to_zero", "to_zero_inverted"};

class Threshold : public Node {
 public:
  explicit Threshold(const NodeOptions& options)
      : Node("threshold", options),
        level_(static_cast<double>(integer_parameter(*this, "threshold", 127, {0, 255, 1}))),
        maximum_(static_cast<double>(integer_parameter(*this, "maximum", 255, {0, 255, 1}))) {
    const std::string type = choice_parameter(*this, "type", threshold_types);
    type_ = static_cast<int>(std::find(threshold_types.begin(), threshold_types.end(), type) -
                             threshold_types.begin());
    apply_threads_parameter(*this);
    publisher_ = create_publisher<sensor_msgs::msg::Image>("image_thresholded", QoS(5));
    subscription_ = create_subscription<sensor_msgs::msg::Image>(
        "image", QoS(5),
        [this](const Sample<sensor_msgs::msg::Image>& sample) { compare(sample.view()); });
  }

 private:
  void compare(const sensor_msgs::msg::ImageView& view) {
    const auto pixels = image_of(view);
    if (!pixels || pixels->depth() != CV_8U) {
      tell(view, pixels ? ImageError::unknown_encoding : pixels.error());
      return;
    }
    auto out = loan_image(*publisher_, header_like(view), pixels->size(), pixels->type());
    if (!out) return;  // counted and reported by the publisher
    {
      const trace::Span span(*this, "threshold");
      cv::threshold(*pixels, out->pixels, level_, maximum_, type_);
    }
    publisher_->publish(std::move(out->loan));
  }

  void tell(const sensor_msgs::msg::ImageView& view, ImageError error) {
    if (told_(error)) {
      report_error("an image on '" + subscription_->get_topic_name() + "' (encoding '" +
                   std::string(view.encoding()) +
                   "') cannot be compared with a level of 8 bits: " + to_string(error));
    }
  }

  double level_;
  double maximum_;
  int type_ = 0;
  ToldOnce<ImageError> told_;
  std::shared_ptr<Publisher<sensor_msgs::msg::Image>> publisher_;
  std::shared_ptr<Subscription<sensor_msgs::msg::Image>> subscription_;
};

}  // namespace ligament::nodes::image

LIGAMENT_REGISTER_NODE(ligament::nodes::image::Threshold)
