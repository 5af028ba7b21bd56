// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstdint>
#include <ligament/ligament.hpp>
#include <ligament/std_msgs/msg/string.hpp>
#include <memory>
#include <string>
#include <thread>

namespace run_test {

class Listener : public ligament::Node {
 public:
  explicit Listener(const ligament::NodeOptions& options) : Node("listener", options) {
    messages_ = declare_parameter<std::int64_t>("messages", 20);
    const std::chrono::milliseconds work(declare_parameter<std::int64_t>("work_ms", 0));
    const auto ordered = declare_parameter<bool>("ordered", false);
    subscription_ = create_subscription<Message>(
        "chatter", ligament::QoS(10), [this, work, ordered](const Message& message) {
          const std::string next = "message " + std::to_string(count_);
          if (ordered && message.data != next) report_error(next + " was next: " + message.data);
          std::this_thread::sleep_for(work);
          if (++count_ == messages_) finish();
        });
  }

 private:
  using Message = ligament::std_msgs::msg::String;

  std::int64_t messages_ = 0;
  std::int64_t count_ = 0;
  std::shared_ptr<ligament::Subscription<Message>> subscription_;
};

}  // namespace run_test

LIGAMENT_REGISTER_NODE(run_test::Listener)
