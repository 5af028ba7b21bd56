// SPDX-License-Identifier: Apache-2.0
/// Done after 20 messages; one that comes before it is active is an error.
#include <ligament/ligament.hpp>
#include <ligament/std_msgs/msg/string.hpp>

namespace lifecycle_test {

using ligament::std_msgs::msg::String;

class Sink : public ligament::LifecycleNode {
 public:
  explicit Sink(const ligament::NodeOptions& options) : LifecycleNode("sink", options) {
    subscription_ = create_subscription<String>("text", ligament::QoS(10), [this](const String&) {
      if (get_current_state().label != "active") {
        report_error("a message came before this node was active");
      }
      if (++heard_ == 20) {
        finish();
      }
    });
  }

 private:
  int heard_ = 0;
  std::shared_ptr<ligament::Subscription<String>> subscription_;
};

}  // namespace lifecycle_test

LIGAMENT_REGISTER_NODE(lifecycle_test::Sink)
