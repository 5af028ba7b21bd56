// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <ligament/ligament.hpp>
#include <ligament/std_msgs/msg/u_int8_multi_array.hpp>
#include <memory>

namespace run_test {

class Relay : public ligament::Node {
 public:
  explicit Relay(const ligament::NodeOptions& options) : Node("relay", options) {
    declare_parameter<std::int64_t>("times", 1);
    publisher_ = create_publisher<Message>("out", ligament::QoS(10));
    subscription_ = create_subscription<Message>(
        "in", ligament::QoS(10), [this](const Message& message) { relay(message); });
  }

 private:
  using Message = ligament::std_msgs::msg::UInt8MultiArray;

  void relay(const Message& message) {
    std::int64_t times = 0;
    get_parameter("times", times);
    for (std::int64_t i = 0; i < times; ++i) publisher_->publish(message);
  }

  std::shared_ptr<ligament::Publisher<Message>> publisher_;
  std::shared_ptr<ligament::Subscription<Message>> subscription_;
};

}  // namespace run_test

LIGAMENT_REGISTER_NODE(run_test::Relay)
