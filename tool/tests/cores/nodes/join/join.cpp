// SPDX-License-Identifier: Apache-2.0
// The same on the processor: what the core is compared with.
#include <algorithm>
#include <cstdint>
#include <deque>
#include <ligament/ligament.hpp>
#include <ligament/sensor_msgs/msg/image.hpp>
#include <memory>

namespace case_nodes {

class Join : public ligament::Node {
 public:
  explicit Join(const ligament::NodeOptions& options) : Node("join", options) {
    declare_parameter<std::int64_t>("answers", 1000);
    publisher_ = create_publisher<Image>("joined", 5);
    left_subscription_ = create_subscription<Image>("left", 5, [this](const Image& image) {
      left_.push_back(image);
      answer();
    });
    right_subscription_ = create_subscription<Image>("right", 5, [this](const Image& image) {
      right_.push_back(image);
      answer();
    });
  }

 private:
  using Image = ligament::sensor_msgs::msg::Image;

  void answer() {
    if (left_.empty() || right_.empty()) {
      return;
    }
    Image image = left_.front();
    for (std::size_t i = 0; i < image.data.size(); ++i) {
      image.data[i] = std::max(image.data[i], right_.front().data[i]);
    }
    left_.pop_front();
    right_.pop_front();
    publisher_->publish(image);
  }

  std::deque<Image> left_;
  std::deque<Image> right_;
  std::shared_ptr<ligament::Publisher<Image>> publisher_;
  std::shared_ptr<ligament::Subscription<Image>> left_subscription_;
  std::shared_ptr<ligament::Subscription<Image>> right_subscription_;
};

}  // namespace case_nodes

LIGAMENT_REGISTER_NODE(case_nodes::Join)
