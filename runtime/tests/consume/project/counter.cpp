// SPDX-License-Identifier: Apache-2.0
/// \file A node of somebody else's project, with a message of their own.
#include <ligament/consume_msgs/msg/count.hpp>
#include <ligament/ligament.hpp>

namespace consume {

class Counter : public ligament::Node {
 public:
  explicit Counter(const ligament::NodeOptions& options) : Node("counter", options) {
    publisher_ = create_publisher<ligament::consume_msgs::msg::Count>("count", 10);
    timer_ = create_wall_timer(std::chrono::milliseconds(1), [this] {
      ligament::consume_msgs::msg::Count message;
      message.count = ++count_;
      publisher_->publish(message);
      if (count_ == 5) finish();
    });
  }

 private:
  std::uint32_t count_ = 0;
  std::shared_ptr<ligament::Publisher<ligament::consume_msgs::msg::Count>> publisher_;
  std::shared_ptr<ligament::TimerBase> timer_;
};

}  // namespace consume

LIGAMENT_REGISTER_NODE(consume::Counter)
