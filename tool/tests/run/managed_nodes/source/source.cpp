// SPDX-License-Identifier: Apache-2.0
/// Sends a text each 2 ms while it is active; may be told not to come up.
#include <ligament/ligament.hpp>
#include <ligament/std_msgs/msg/string.hpp>

namespace lifecycle_test {

using ligament::CallbackReturn;
using ligament::LifecycleState;
using ligament::std_msgs::msg::String;

class Source : public ligament::LifecycleNode {
 public:
  explicit Source(const ligament::NodeOptions& options) : LifecycleNode("source", options) {
    fails_ = declare_parameter<std::string>("fails", "");
  }
  CallbackReturn on_configure(const LifecycleState& /*previous*/) override {
    publisher_ = create_publisher<String>("text", ligament::QoS(10));
    timer_ = create_wall_timer(std::chrono::milliseconds(2), [this] {
      String text;
      text.data = "hello";
      publisher_->publish(text);
    });
    return fails_ == "configure" ? CallbackReturn::failure : CallbackReturn::success;
  }
  CallbackReturn on_activate(const LifecycleState& previous) override {
    // A publisher that was activated sends, whatever is answered: then the sink may be done first.
    return fails_ == "activate" ? CallbackReturn::failure : LifecycleNode::on_activate(previous);
  }

 private:
  std::string fails_;
  std::shared_ptr<ligament::LifecyclePublisher<String>> publisher_;
  std::shared_ptr<ligament::TimerBase> timer_;
};

}  // namespace lifecycle_test

LIGAMENT_REGISTER_NODE(lifecycle_test::Source)
