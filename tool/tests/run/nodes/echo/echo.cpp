// SPDX-License-Identifier: Apache-2.0
#include <ligament/ligament.hpp>
#include <ligament/std_msgs/msg/string.hpp>
#include <memory>

namespace run_test {

class Echo : public ligament::Node {
 public:
  explicit Echo(const ligament::NodeOptions& options) : Node("echo", options) {
    publisher_ = create_publisher<Message>("out", ligament::QoS(10));
    subscription_ = create_subscription<Message>(
        "in", ligament::QoS(10), [this](const Message& message) { publisher_->publish(message); });
  }

 private:
  using Message = ligament::std_msgs::msg::String;

  std::shared_ptr<ligament::Publisher<Message>> publisher_;
  std::shared_ptr<ligament::Subscription<Message>> subscription_;
};

}  // namespace run_test

LIGAMENT_REGISTER_NODE(run_test::Echo)
