// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstdint>
#include <ligament/ligament.hpp>
#include <ligament/my_msgs/msg/mark.hpp>
#include <memory>
#include <string>

namespace golden {

class Source : public ligament::Node {
 public:
  explicit Source(const ligament::NodeOptions& options) : Node("source", options) {
    label_ = declare_parameter<std::string>("label", "mark");
    const auto period = declare_parameter<std::int64_t>("period_ms", 5);
    publisher_ = create_publisher<Mark>("mark", ligament::QoS(10));
    timer_ = create_wall_timer(std::chrono::milliseconds(period), [this] {
      Mark mark;
      mark.label = label_;
      mark.count = count_++;
      publisher_->publish(mark);
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

LIGAMENT_REGISTER_NODE(golden::Source)
