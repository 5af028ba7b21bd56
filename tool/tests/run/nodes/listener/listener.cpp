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
    const auto whole = declare_parameter<bool>("whole", false);
    subscription_ = create_subscription<Message>(
        "chatter", ligament::QoS(10), [this, work, ordered, whole](const Message& message) {
          if (ordered) check_order(message.data, whole);
          std::this_thread::sleep_for(work);
          if (++count_ == messages_) finish();
        });
  }

 private:
  using Message = ligament::std_msgs::msg::String;

  /// Strings are "message N", one after the other; from 0 on if all must be heard.
  void check_order(const std::string& heard, bool whole) {
    const auto number = std::stoll(heard.substr(8));
    if (count_ == 0) next_ = whole ? 0 : number;
    if (number != next_) {
      report_error("message " + std::to_string(next_) + " was next: " + heard);
    }
    next_ = number + 1;
  }

  std::int64_t messages_ = 0;
  std::int64_t count_ = 0;
  std::int64_t next_ = 0;
  std::shared_ptr<ligament::Subscription<Message>> subscription_;
};

}  // namespace run_test

LIGAMENT_REGISTER_NODE(run_test::Listener)
