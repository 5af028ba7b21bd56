// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstdint>
#include <ligament/ligament.hpp>
#include <ligament/my_msgs/msg/mark.hpp>
#include <memory>
#include <string>

namespace golden {

class Both : public ligament::Node {
 public:
  explicit Both(const ligament::NodeOptions& options) : Node("both", options) {
    label_ = declare_parameter<std::string>("label", "mark");
    publisher_ = create_publisher<Mark>("out", ligament::QoS(10));
    timer_ = create_wall_timer(std::chrono::milliseconds(5), [this] {
      Mark mark;
      mark.label = label_;
      mark.count = 2 * count_++;
      publisher_->publish(mark);
      if (count_ == 10) finish();
    });
  }

 private:
  using Mark = ligament::my_msgs::msg::Mark;

  std::string label_;
  std::uint32_t count_ = 0;
  std::shared_ptr<ligament::Publisher<Mark>> publisher_;
  std::shared_ptr<ligament::TimerBase> timer_;
};

}  // namespace golden

LIGAMENT_REGISTER_NODE(golden::Both)
