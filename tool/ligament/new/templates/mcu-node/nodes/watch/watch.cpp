// SPDX-License-Identifier: Apache-2.0
#include <ligament/ligament.hpp>
#include <ligament/sensor_msgs/msg/temperature.hpp>
#include <ligament/std_msgs/msg/bool.hpp>

namespace my_nodes {

using ligament::sensor_msgs::msg::Temperature;
using ligament::std_msgs::msg::Bool;

class Watch : public ligament::Node {
 public:
  explicit Watch(const ligament::NodeOptions& options) : Node("watch", options) {
    left_ = declare_parameter<std::int64_t>("messages", 100);
    enable_ = create_publisher<Bool>("enable", 5);
    temperature_ = create_subscription<Temperature>(
        "temperature", 5, [this](const Temperature& message) { on_message(message); });
  }

 private:
  void on_message(const Temperature& message) {
    LIGAMENT_INFO(get_logger(), "{:.1f} degrees", message.temperature);
    if (--left_ == 0) {
      enable_->publish(Bool());  // false: no more
      finish();
    }
  }

  std::int64_t left_ = 0;
  ligament::Publisher<Bool>::SharedPtr enable_;
  ligament::Subscription<Temperature>::SharedPtr temperature_;
};

}  // namespace my_nodes

LIGAMENT_REGISTER_NODE(my_nodes::Watch)
