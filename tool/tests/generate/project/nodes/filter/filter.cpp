// SPDX-License-Identifier: Apache-2.0
#include <golden_gain.hpp>
#include <ligament/ligament.hpp>
#include <ligament/my_msgs/msg/mark.hpp>
#include <memory>

#ifndef GOLDEN_FLAG
#error "definitions of the manifest are missing"
#endif

namespace golden {

class Filter : public ligament::Node {
 public:
  explicit Filter(const ligament::NodeOptions& options) : Node(GOLDEN_NAME, options) {
    gain_ = declare_parameter<double>("gain", 2.0);
    publisher_ = create_publisher<Mark>("out", ligament::QoS(10));
    subscription_ = create_subscription<Mark>("mark", ligament::QoS(10), [this](const Mark& in) {
      Mark out = in;
      out.count = scaled(in.count, gain_);
      publisher_->publish(out);
      if (out.count == 20) finish();
    });
  }

 private:
  using Mark = ligament::my_msgs::msg::Mark;

  double gain_ = 0;
  std::shared_ptr<ligament::Publisher<Mark>> publisher_;
  std::shared_ptr<ligament::Subscription<Mark>> subscription_;
};

}  // namespace golden

LIGAMENT_REGISTER_NODE(golden::Filter)
