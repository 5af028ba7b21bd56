// SPDX-License-Identifier: Apache-2.0
// Images of different sizes, one each few milliseconds; who joins late gets what was said before.
#include <cstdint>
#include <ligament/ligament.hpp>
#include <ligament/sensor_msgs/msg/image.hpp>
#include <memory>

namespace case_nodes {

class Say : public ligament::Node {
 public:
  explicit Say(const ligament::NodeOptions& options) : Node("say", options) {
    mark_ = declare_parameter<std::int64_t>("mark", 1);
    count_ = declare_parameter<std::int64_t>("count", 20);
    larger_ = declare_parameter<std::int64_t>("larger", 0);
    publisher_ = create_publisher<Image>("out", 5);
    timer_ = create_wall_timer(std::chrono::milliseconds(2), [this] { say(); });
  }

 private:
  using Image = ligament::sensor_msgs::msg::Image;

  void say() {
    if (said_ == 0 && publisher_->get_subscription_count() == 0) {
      return;  // what nobody listens to yet would not come
    }
    if (said_ == count_) {
      finish();
      return;
    }
    Image image;
    image.header.frame_id = std::string(static_cast<std::size_t>(said_ % 7), 'f');
    image.encoding = "mono8";
    image.height = 1;
    image.width = static_cast<std::uint32_t>(40 + 37 * said_ + larger_);
    image.step = image.width;
    image.data = {static_cast<std::uint8_t>(mark_), static_cast<std::uint8_t>(said_)};
    for (std::uint32_t i = 2; i < image.width; ++i) {
      image.data.push_back(static_cast<std::uint8_t>(i * 29 + said_));
    }
    ++said_;
    publisher_->publish(image);
  }

  std::int64_t mark_ = 1;
  std::int64_t count_ = 20;
  std::int64_t larger_ = 0;
  std::int64_t said_ = 0;
  std::shared_ptr<ligament::Publisher<Image>> publisher_;
  std::shared_ptr<ligament::TimerBase> timer_;
};

}  // namespace case_nodes

LIGAMENT_REGISTER_NODE(case_nodes::Say)
